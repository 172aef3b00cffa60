import type { Job } from '#service-host';
import type { PlainSecretRepository } from './plain-secret.repository.js';
import type { WebhookSecrets } from './webhook-secrets.js';

interface Dependencies {
  plain: PlainSecretRepository;
  secrets: WebhookSecrets;
}

/**
 * Runs as long as the process does, since during a rolling upgrade a process of the previous version may write more
 * secrets in plain.
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
