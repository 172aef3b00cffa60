import { importTools } from '#contracts';
import { implement } from '#tool-call';
import type { SubscriberService } from '../subscriber/subscriber.service.js';
import { readRows, refusedRows, warningsOf } from './import.js';

export const implementImportTools = ({ writer }: { writer: SubscriberService }) =>
  implement(importTools, {
    import_subscribers: async ({ subscribers, resubscribe, triggerWorkflows }, caller) => {
      const { people, rowsOf, errors } = readRows(subscribers);
      const { saved, refused } = await writer.saveFitting(people, {
        organizationId: caller.organizationId,
        now: caller.now,
        bounds: caller.bounds,
        source: 'import',
        cause: { kind: 'import', id: caller.requestId },
        triggerWorkflows,
        replaceTags: false,
        // New subscribers are not asked to confirm; subscribers that were asked before still have to.
        wish: { via: 'import', resubscribe, skipDoubleOptIn: false, doubleOptIn: false },
      });
      const kept = people.filter(({ emailKey }) => !refused.has(emailKey));
      const failed = [...errors, ...refusedRows(subscribers, rowsOf, refused)].sort((a, b) => a.row - b.row);
      const imported = saved.filter(({ created }) => created).length;
      const said = saved.map(({ warning }, place) => ({ email: kept[place]!.email, warning }));
      const warnings = [...(saved[0]?.news ?? []), ...warningsOf(said)];
      return {
        imported,
        updated: subscribers.length - failed.length - imported,
        failed: failed.length,
        errors: failed,
        ...(warnings.length > 0 && { warnings }),
      };
    },
  });
