import { resolve } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { DoctorConfig } from '../config.js';
import { findingsOf, judgeDisk } from './finding.js';
import type { Finding } from './finding.js';

const answerMs = 5_000;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export async function checkMachine(config: DoctorConfig): Promise<Finding[]> {
  const node = findingsOf('Node.js');
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isFit = major > 20 || (major === 20 && minor >= 19);
  const place = config.DATA_DIR && existsSync(config.DATA_DIR) ? config.DATA_DIR : '/';
  const { bavail, blocks, bsize } = await statfs(place);
  return [
    isFit
      ? node.ok(process.versions.node)
      : node.fail(`${process.versions.node} is too old`, 'Install 20.19 or newer.'),
    judgeDisk(place, { free: bavail * bsize, total: blocks * bsize }),
  ];
}

/** Checks that DNS names resolve, and reports sending domains by the stored state of their records. */
export async function checkDns(domains: readonly { domain: string; status: string }[] | null): Promise<Finding> {
  const { ok, warn, fail } = findingsOf('DNS');
  if (!domains)
    return warn('sending domains not checked: the database could not be asked', 'Run this beside the system.');
  if (domains.length === 0) {
    return warn('there is no sending domain beside the sandbox', 'Add one with create_domain, and set its records.');
  }
  const found = await Promise.all(domains.map(({ domain }) => answersNs(domain)));
  const silent = domains.filter((_, n) => !found[n]);
  if (silent.length === domains.length) {
    return fail(
      'no sending domain can be resolved here',
      'See that this machine reaches a name server (/etc/resolv.conf).',
    );
  }
  const open = domains.filter(({ status }) => status !== 'VERIFIED');
  if (open.length + silent.length === 0) return ok(`${domains.length} sending domains are VERIFIED`);
  const names = [...new Set([...open, ...silent].map(({ domain }) => domain))].join(', ');
  return warn(`not VERIFIED or not found: ${names}`, 'Set the records that get_domain shows, then call verify_domain.');
}

const answersNs = async (domain: string): Promise<boolean> =>
  await Promise.race([
    resolve(domain, 'TXT').then(
      () => true,
      (error: unknown) => (error as { code?: string }).code === 'ENODATA',
    ),
    new Promise<boolean>((settle) => void setTimeout(() => settle(false), answerMs).unref()),
  ]);

/** Checks the public address of links in mail, and that a gateway responds there. */
export async function checkPublicUrl({ PUBLIC_URL: url }: DoctorConfig): Promise<Finding> {
  const { ok, warn, fail } = findingsOf('PUBLIC_URL');
  const remedy = 'Set PUBLIC_URL to the https address that the world reaches the gateway at, and start again.';
  if (!url || !URL.canParse(url)) return warn('not checked: no address is known here', remedy);
  const { hostname, protocol } = new URL(url);
  try {
    const answer = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(answerMs), redirect: 'manual' });
    if (!answer.ok) return fail(`${url} answers ${answer.status}`, 'See that the proxy leads to the gateway.');
  } catch (error) {
    const why =
      (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : (error as Error).message;
    return fail(`no gateway answers at ${url}: ${why}`, 'Start the system, and see that the proxy leads to it.');
  }
  if (loopback.test(hostname)) return warn(`links in mail lead to ${url}, which is this machine only`, remedy);
  return protocol === 'https:' ? ok(url) : warn(`${url} is not encrypted`, remedy);
}
