import type { ServiceBus } from '#bus';
import {
  expiredCountedMax,
  retainedData,
  retainedNames,
  retentionRequests,
  retentionServices,
  retentionSettingRequests,
  retentionTools,
} from '#contracts';
import type { Data, RetainedData, RetentionMonths } from '#contracts';
import { implement, pluralize, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';

interface Dependencies {
  repositories: Pick<Repositories, 'retention'>;
  inTransaction: InTransaction;
  bus: ServiceBus;
}

type Retention = Data<(typeof retentionTools)['calls']['get_retention']>['retention'];
type Changes = Partial<Record<RetainedData, number | null | undefined>>;

export function implementRetentionTools({ repositories, inTransaction, bus }: Dependencies) {
  /** What holds with given periods; each service counts its own data. */
  const stateWith = async (months: RetentionMonths, caller: Caller): Promise<Retention> => {
    const states = await Promise.all(
      retentionServices.map((service) =>
        bus.client(retentionRequests(service)).get_retention_state({ months }, caller),
      ),
    );
    const byName = new Map(states.flatMap(({ retention }) => retention).map((one) => [one.data, one]));
    return retainedNames.map((data) => ({
      ...byName.get(data)!,
      period: months[data] ?? null,
      min: retainedData[data].min,
    }));
  };

  /** What holds after a change. @throws ToolError NOTHING_TO_CHANGE, RETENTION_RANGE */
  const changed = async (changes: Changes, caller: Caller): Promise<Retention> => {
    const given = Object.entries(changes).filter(([, months]) => months !== undefined);
    if (given.length === 0) throw new ToolError('NOTHING_TO_CHANGE', {});
    const current = await repositories.retention.get(caller.organizationId);
    const months = Object.fromEntries(
      Object.entries({ ...current, ...Object.fromEntries(given) }).filter(([, one]) => one !== null),
    ) as RetentionMonths;
    const retention = await stateWith(months, caller);
    for (const { data, period, min, installation } of retention) {
      if (!changes[data] || period === null) continue;
      if (period < min || (installation !== null && period > installation))
        throw new ToolError('RETENTION_RANGE', { data, min, max: installation });
    }
    return retention;
  };

  return implement(
    retentionTools,
    {
      get_retention: async (_args, caller) => ({
        retention: await stateWith(await repositories.retention.get(caller.organizationId), caller),
      }),
      set_retention: async (changes, caller) => {
        const retention = await changed(changes, caller);
        const given = Object.fromEntries(Object.entries(changes).filter(([, months]) => months !== undefined));
        await inTransaction((own) => own.retention.update(caller.organizationId, given));
        return { retention };
      },
    },
    {
      set_retention: async (changes, caller) => {
        return { action: 'Set the retention', message: sentenceOf(await changed(changes, caller), changes) };
      },
    },
  );
}

export const implementRetentionSettings = ({ retention }: Pick<Repositories, 'retention'>) =>
  implement(retentionSettingRequests, {
    list_retention: async ({ after, limit }) => ({ organizations: await retention.list(after, limit) }),
  });

/** What a change does, for the confirmation. */
function sentenceOf(retention: Retention, changes: Changes): string {
  const periods = retention
    .filter(({ data }) => changes[data] !== undefined)
    .map(
      ({ data, period }) => `${data} ${period === null ? 'as long as the installation' : pluralize(period, 'month')}`,
    );
  const rows = retention.reduce((sum, { deletesNow }) => sum + deletesNow, 0);
  const isMore = retention.some(({ deletesNow }) => deletesNow >= expiredCountedMax);
  const count = `${isMore ? 'More than ' : ''}${pluralize(isMore ? expiredCountedMax : rows, 'row')}`;
  return `Keeps ${periods.join(', ')}. ${count} ${rows === 1 ? 'is' : 'are'} deleted in the next night, and cannot be restored.`;
}
