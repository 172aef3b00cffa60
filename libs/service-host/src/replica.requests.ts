import { featuresOf, replicaRequests } from '#contracts';
import type { FeatureState, Service } from '#contracts';
import { FeatureRepository, ReplicaRepository } from '#database';
import type { Sql } from '#database';
import { EventGapRepository, OutboxReaderRepository, OutboxRepository } from '#events';
import { implement } from '#tool-call';
import type { ImplementationFactory } from './call-context.js';

/** A service that applies events is known to have done so after an hour and two rounds of the job. */
const behindHours = 3;

/** @param hasOlderReplica whether a process is older for a reason that only this service knows */
export const replicaFactory =
  (service: Service, hasOlderReplica?: () => Promise<boolean>): ImplementationFactory =>
  (context) =>
    implement(replicaRequests(service), {
      get_protocol_version: async () => ({
        version: (await hasOlderReplica?.()) ? 0 : await new ReplicaRepository(context.manager).leastVersion(service),
      }),

      list_features: async () => ({ features: await listFeatures(service, context.manager) }),

      set_feature: async ({ name, isAllowed }) => {
        const repository = new FeatureRepository(context.manager);
        const feature = featuresOf(service).find(([known]) => known === name)?.[0];
        if (feature) await (isAllowed ? repository.allow(feature) : repository.disable(feature));
        return { features: await listFeatures(service, context.manager) };
      },

      get_event_state: async ({ limit }) => {
        const gaps = await new EventGapRepository(context.manager).listOpen(limit);
        const { envelopes: batches, oldestSeconds } = await new OutboxRepository(context.manager).countUnpublished();
        return {
          gaps: gaps.map(({ source, lane, afterNumber, beforeNumber, detectedAt }) => ({
            source,
            lane,
            afterNumber,
            beforeNumber,
            detectedAt: detectedAt.toISOString(),
          })),
          behind: (await new OutboxReaderRepository(context.manager).listBehind(behindHours)).map(
            ({ consumer, since }) => ({ consumer, since: since.toISOString() }),
          ),
          outbox: { batches, oldestSeconds },
        };
      },

      resolve_event_gaps: async () => ({ resolved: await new EventGapRepository(context.manager).resolveAll() }),
    });

async function listFeatures(service: Service, sql: Sql): Promise<FeatureState[]> {
  const decided = await new FeatureRepository(sql).list();
  return featuresOf(service).map(([name]) => {
    const enabledAt = decided.get(name);
    if (enabledAt === undefined) return { name, state: 'WAITING', enabledAt: null };
    return { name, state: enabledAt ? 'ENABLED' : 'DISABLED', enabledAt: enabledAt?.toISOString() ?? null };
  });
}
