import type pg from 'pg';
import { uuidOf } from '#database';
import type { Course } from './fairness.js';

/** A count for each organization and whole second; `$1` is the beginning, in seconds since the epoch. */
const messagesSql = `
  select organization_id, ceil(extract(epoch from attempted_at) - $1)::int as second, count(*)::int as n
  from delivery.campaign_message where attempted_at is not null group by 1, 2`;
const stepsSql = `
  select organization_id, ceil(extract(epoch from at) - $1)::int as second, count(*)::int as n from workflow.run_history
  where step_id in ('first', 'second') and outcome = 'DONE' group by 1, 2`;
const sendTimesSql = `
  select organization_id, (extract(epoch from started_at) - $1)::float8 as started, (extract(epoch from finished_at) - $1)::float8 as ended
  from delivery.send`;
const runTimesSql = `
  select organization_id, 0::float8 as started, (extract(epoch from max(finished_at)) - $1)::float8 as ended
  from workflow.run group by 1`;

const kinds = {
  messages: { counts: messagesSql, times: sendTimesSql },
  steps: { counts: stepsSql, times: runTimesSql },
};

/** Reads from the rows that a run left what each organization had got at each whole second since `beginning`. */
export async function readCourses(sql: pg.Client, kind: keyof typeof kinds, beginning: Date): Promise<Course[]> {
  const epoch = [beginning.getTime() / 1000];
  const counts = await sql.query<{ organization_id: string; second: number; n: number }>(kinds[kind].counts, epoch);
  const times = await sql.query<{ organization_id: string; started: number; ended: number }>(kinds[kind].times, epoch);
  const seconds = Math.max(...times.rows.map(({ ended }) => Math.ceil(ended))) + 1;
  const got = new Map(times.rows.map((row) => [row.organization_id, new Array<number>(seconds + 1).fill(0)]));
  for (const { organization_id: id, second, n } of counts.rows) got.get(id)![Math.max(0, second)]! += n;
  for (const each of got.values()) for (let t = 1; t <= seconds; t++) each[t]! += each[t - 1]!;
  return times.rows.map((row) => ({
    organizationId: row.organization_id,
    startedAt: Math.max(0, row.started),
    endedAt: row.ended,
    got: got.get(row.organization_id)!,
  }));
}

/** Samples what leaves no times in the rows: which chunks are claimed, and which messages are in the history. */
export class Watch {
  readonly #expected: ReadonlyMap<string, number>;
  readonly #completeAt = new Map<string, number>();
  /** Claimed chunks by organization, at whole seconds. */
  readonly #claimed: Map<string, number>[] = [];

  /** @param expected messages by organization */
  constructor(
    private readonly sql: pg.Client,
    private readonly beginning: Date,
    expected: ReadonlyMap<string, number>,
  ) {
    this.#expected = new Map([...expected].map(([id, messages]) => [uuidOf('org', id)!, messages]));
  }

  #seconds(): number {
    return (Date.now() - this.beginning.getTime()) / 1000;
  }

  async sampleChunks(): Promise<void> {
    const second = Math.max(0, Math.floor(this.#seconds()));
    const { rows } = await this.sql.query<{ organization_id: string; n: number }>(
      `select organization_id, count(*)::int as n from delivery.send_page where fence > 0 group by 1`,
    );
    this.#claimed[second] = new Map(rows.map(({ organization_id: id, n }) => [id, n]));
  }

  /** @returns whether the history of each organization has all its messages */
  async sampleHistory(): Promise<boolean> {
    const { rows } = await this.sql.query<{ organization_id: string; n: number }>(
      `select organization_id, count(*)::int as n from subscriber.recipient_campaign group by 1`,
    );
    for (const { organization_id: id, n } of rows)
      if (n >= this.#expected.get(id)! && !this.#completeAt.has(id)) this.#completeAt.set(id, this.#seconds());
    return this.#completeAt.size >= this.#expected.size;
  }

  /** Chunks claimed, for the times of the given campaigns. A second without a sample has the counts of the one before. */
  chunks(campaigns: readonly Course[]): Course[] {
    return campaigns.map((campaign) => {
      const { organizationId } = campaign;
      let last = 0;
      const got = campaign.got.map((_, second) => (last = this.#claimed[second]?.get(organizationId) ?? last));
      // From then on no chunk waits.
      return { ...campaign, endedAt: got.indexOf(got.at(-1)!), got };
    });
  }

  /** Seconds from the end of each campaign until its history was complete, as precise as the samples are. */
  lags(campaigns: readonly Course[]): number[] {
    return campaigns.map(({ organizationId, endedAt }) => Math.max(0, this.#completeAt.get(organizationId)! - endedAt));
  }
}
