import { expiredCountedMax, retainedData, retainedNames, retentionRequests } from '#contracts';
import type { Service } from '#contracts';
import { RetentionRepository } from '#database';
import type { RetainedRows } from '#database';
import { implement } from '#tool-call';
import type { ImplementationFactory } from './call-context.js';

/** Answers how long a service keeps its data, and what of it goes. */
export const retentionFactory =
  (service: Service, rows: readonly RetainedRows[]): ImplementationFactory =>
  ({ manager }) =>
    implement(retentionRequests(service), {
      get_retention_state: async ({ months }, { organizationId, now }) => {
        const repository = new RetentionRepository(manager);
        const periods = await repository.listPeriods();
        const retention = [];
        for (const data of retainedNames.filter((name) => retainedData[name].service === service)) {
          const before = await repository.findBefore(data, months[data] ?? null, now);
          let deletesNow = 0;
          for (const one of before ? rows.filter((row) => row.data === data) : []) {
            const left = expiredCountedMax - deletesNow;
            if (left > 0) deletesNow += await repository.count(one, organizationId, before!, left);
          }
          retention.push({ data, installation: periods.get(data) ?? null, deletesNow });
        }
        return { retention };
      },
    });
