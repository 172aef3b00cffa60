import { uuidOf } from '#database';
import type { Sql } from '#database';

/** A send whose messages have ids by position; `from` and `to` (ISO 8601, UTC) are those of some of its messages. */
export interface SendRef {
  organizationId: string;
  campaignId: string;
  sendUuid: string;
  from: string;
  to: string;
}

export interface StartedSend extends SendRef {
  name: string;
  subjectParts: readonly string[];
}

const hourMs = 3_600_000;
const hourBefore = (at: string) => new Date(Math.floor(Date.parse(at) / hourMs) * hourMs);
const hourAfter = (at: string) => new Date((Math.floor(Date.parse(at) / hourMs) + 1) * hourMs);

/** The numbers by which rows of recipients name a send and its campaign. */
export class CampaignRefRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Returns the number of each send by its uuid; makes those that are new, and widens the periods of those that have
   * messages outside them.
   * @throws Error for a send of another organization
   */
  async ensure(refs: readonly SendRef[]): Promise<ReadonlyMap<string, number>> {
    const sends = merged(refs);
    const known: { campaign_no: number; send_id: string; organization_id: string; first_at: Date; last_at: Date }[] =
      await this.sql.query(
        `select campaign_no, send_id, organization_id, first_at, last_at from campaign_ref where send_id = any($1::uuid[])`,
        [sends.map(({ sendUuid }) => sendUuid)],
      );
    const numbers = new Map<string, number>();
    for (const { campaign_no, send_id, organization_id, first_at, last_at } of known) {
      const send = sends.find(({ sendUuid }) => sendUuid === send_id)!;
      const isOwn = organization_id === uuidOf('org', send.organizationId);
      if (isOwn && first_at <= hourBefore(send.from) && last_at >= hourAfter(send.to))
        numbers.set(send_id, campaign_no);
    }
    const others = sends.filter(({ sendUuid }) => !numbers.has(sendUuid));
    if (others.length > 0) for (const [send, no] of await this.#upsert(others)) numbers.set(send, no);
    return numbers;
  }

  /** Records name and subject of sends that started, before or after their first messages. */
  async updateStarted(sends: readonly StartedSend[]): Promise<void> {
    await this.#upsert(merged(sends));
    for (const { organizationId, sendUuid, name, subjectParts } of sends) {
      await this.sql.query(
        `update campaign_ref set name = $3, subject_parts = $4 where organization_id = $1 and send_id = $2`,
        [uuidOf('org', organizationId), sendUuid, name, subjectParts],
      );
    }
  }

  /** In the order of the sends, so that two writers cannot deadlock. */
  async #upsert(sends: readonly SendRef[]): Promise<Map<string, number>> {
    const rows: { send_id: string; campaign_no: number }[] = await this.sql.query(
      `insert into campaign_ref as r (organization_id, campaign_id, send_id, first_at, last_at)
       select o, c, s, f, l from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[]) u(o, c, s, f, l)
       order by s
       on conflict (send_id) do update set first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at)
       where r.organization_id = excluded.organization_id
       returning send_id, campaign_no`,
      [
        sends.map(({ organizationId }) => uuidOf('org', organizationId)),
        sends.map(({ campaignId }) => uuidOf('cmp', campaignId)),
        sends.map(({ sendUuid }) => sendUuid),
        sends.map(({ from }) => hourBefore(from)),
        sends.map(({ to }) => hourAfter(to)),
      ],
    );
    if (rows.length < sends.length) throw new Error('a send belongs to another organization');
    return new Map(rows.map(({ send_id, campaign_no }) => [send_id, campaign_no]));
  }
}

function merged(refs: readonly SendRef[]): SendRef[] {
  const sends = new Map<string, SendRef>();
  for (const ref of refs) {
    const send = sends.get(ref.sendUuid) ?? { ...ref };
    sends.set(ref.sendUuid, send);
    if (ref.from < send.from) send.from = ref.from;
    if (ref.to > send.to) send.to = ref.to;
  }
  return [...sends.values()];
}
