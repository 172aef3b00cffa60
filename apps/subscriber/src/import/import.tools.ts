import { importTools } from '#contracts';
import { implement } from '#tool-call';
import type { SubscriberWriter } from '../subscriber/subscriber.writer.js';
import { readRows, warningsOf } from './import.js';

export const implementImportTools = ({ writer }: { writer: SubscriberWriter }) =>
  implement(importTools, {
    import_subscribers: async ({ subscribers, resubscribe, triggerWorkflows }, caller) => {
      const { people, accepted, errors } = readRows(subscribers);
      const saved = await writer.save(people, {
        organizationId: caller.organizationId,
        now: caller.now,
        bounds: caller.bounds,
        source: 'import',
        cause: { kind: 'import', id: caller.requestId },
        triggerWorkflows,
        replaceTags: false,
        // Newcomers are not asked to confirm, but those who were asked still have to.
        wish: { via: 'import', resubscribe, skipDoubleOptIn: false, doubleOptIn: false },
      });
      const imported = saved.filter(({ created }) => created).length;
      const said = saved.map(({ warning }, place) => ({ email: people[place]!.email, warning }));
      const warnings = [...(saved[0]?.news ?? []), ...warningsOf(said)];
      return {
        imported,
        updated: accepted - imported,
        failed: errors.length,
        errors,
        ...(warnings.length > 0 && { warnings }),
      };
    },
  });
