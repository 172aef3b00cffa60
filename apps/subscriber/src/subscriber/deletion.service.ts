import { TallyRepository, uuidOf } from '#database';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import { taggedMetric } from '../tag/tag.repository.js';
import type { HashAddress } from '#link-token';
import { statusMetric } from './subscriber-change.service.js';
import { DeletionLockRepository } from './deletion-lock.repository.js';
import { DeletionRepository } from './deletion.repository.js';
import { SubscriberRepository } from './subscriber.repository.js';
import type { KeyedState } from './subscriber.repository.js';

export async function deleteSubscriber(
  subscriberId: string,
  { sql, outbox, hashAddress }: { sql: Sql; outbox: Outbox; hashAddress: HashAddress },
  { organizationId, now, requestId }: { organizationId: string; now: Date; requestId: string },
): Promise<KeyedState | null> {
  await new DeletionLockRepository(sql).take(organizationId);
  const person = await new SubscriberRepository(sql).lockById(organizationId, subscriberId);
  if (!person) return null;
  const hash = hashAddress(organizationId, person.emailKey);
  const { tagIds, campaignMessageIds } = await new DeletionRepository(sql).delete(organizationId, subscriberId, hash);
  const occurredAt = now.toISOString();
  const day = occurredAt.slice(0, 10);
  await new TallyRepository(sql).insert(organizationId, [
    { metric: statusMetric, key: person.status, day, n: -1 },
    ...tagIds.map((id) => ({ metric: taggedMetric, key: uuidOf('tag', id)!, day, n: -1 })),
  ]);
  const about = { subscriberId, subscriberStatus: person.status, triggerWorkflows: false, occurredAt };
  const cause = { kind: 'tool' as const, id: requestId };
  outbox.add(
    organizationId,
    'subscriber.deleted',
    { ...about, cause, addressHash: hash, campaignMessageIds },
    subscriberId,
  );
  return person;
}
