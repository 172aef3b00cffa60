import type { Job } from '#service-host';
import type { PlainSecretRepository } from './plain-secret.repository.js';
import type { WebhookSecrets } from './webhook-secrets.js';

interface Dependencies {
  plain: PlainSecretRepository;
  secrets: WebhookSecrets;
}

/**
 * Seals the secrets that stand in plain. It runs for as long as the process does, since a process of a version before may
 * write more of them during a rolling upgrade.
 */
export const sealSecrets = ({ plain, secrets }: Dependencies): Job => ({
  name: 'seal webhook secrets',
  everyMs: 1_000,
  restMs: 60_000,
  untilNone: true,
  run: async () => {
    const found = await plain.listSome();
    for (const one of found) await plain.updateSealed(one, secrets.seal(one, one.graph));
    return found.length;
  },
});
