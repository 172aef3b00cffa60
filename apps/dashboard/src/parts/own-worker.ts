/** What browsers with Trusted Types offer; TypeScript does not know it. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ) => {
    createScriptURL: (address: string) => unknown;
  };
}

/** @throws TypeError for an address of another origin */
function ownAddress(address: string): string {
  const { origin, href } = new URL(address, location.href);
  if (origin !== location.origin) throw new TypeError(`Not a script of this server: ${address}`);
  return href;
}

// The pages allow each policy name once.
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('tidings', {
  createScriptURL: ownAddress,
});

/**
 * Starts a worker from a file of this build: `startWorker(address)` with `import address from './x.worker.ts?worker&url'`.
 */
export function startWorker(address: string): Worker {
  const trusted = policy ? policy.createScriptURL(address) : ownAddress(address);
  return new Worker(trusted as string, { type: 'module' });
}
