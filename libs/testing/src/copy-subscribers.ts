import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { newUuid, uuidOf } from '#database';
import { withoutIndexes } from './without-indexes.js';

export interface CopyOptions {
  databaseUrl: string;
  organizationId: string;
  count: number;
  /** Every nth subscriber holds the tag; 2 by default. */
  tagEvery?: number;
  tagName?: string;
  /** Name of a custom field whose value is the subscriber's number modulo 100. */
  fieldName?: string;
  /** Address of the nth subscriber; `person<n>@people.internal` by default. */
  email?: (n: number) => string;
  status?: string;
  /** Whether the database has no other user meanwhile: then indexes are made afterwards, which is faster. */
  alone?: boolean;
  /** Whether the planner's statistics are renewed, true by default; who fills many organizations does so once. */
  analyze?: boolean;
}

export interface Copied {
  tagUuid: string;
  fieldUuid: string;
  uuidAt(n: number): string;
}

function idMaker(organizationId: string, count: number): (n: number) => string {
  const tail = createHash('sha256').update(organizationId).digest('hex').slice(0, 12);
  const start = Date.now() - count;
  return (n) => {
    const time = (start + n).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
  };
}

/**
 * Fills an organization with subscribers by COPY: names, one tag, one custom field, and the counts that go with them.
 */
export async function copySubscribers(options: CopyOptions): Promise<Copied> {
  const { organizationId, count, tagEvery = 2, status = 'SUBSCRIBED', alone = false, analyze = true } = options;
  const { tagName = 'half', fieldName = 'number' } = options;
  const email = options.email ?? ((n: number) => `person${n}@people.internal`);
  const org = uuidOf('org', organizationId)!;
  const [tagUuid, fieldUuid] = [newUuid(), newUuid()];
  const uuidAt = idMaker(organizationId, count);
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    options: '-c search_path=subscriber,public -c timezone=UTC -c maintenance_work_mem=512MB',
  });
  await client.connect();
  const copy = (statement: string, line: (n: number) => string, every = 1) =>
    pipeline(Readable.from(chunks(line, count, every)), client.query(copyFrom(`copy ${statement} from stdin`)));
  try {
    await client.query('begin');
    await client.query(`insert into tag values ($1, $2, $3, lower($3))`, [org, tagUuid, tagName]);
    await client.query(`insert into custom_field values ($1, $2, $3, lower($3))`, [org, fieldUuid, fieldName]);
    const people = () =>
      copy(
        `subscriber (organization_id, subscriber_id, email, email_key, name, status, status_at, is_role, is_disposable, custom, updated_at)`,
        (n) =>
          `${org}\t${uuidAt(n)}\t${email(n)}\t${email(n).toLowerCase()}\tPerson ${n}\t${status}\tnow\tf\tf\t{"${fieldUuid}": "${n % 100}"}\tnow\n`,
      );
    await (alone ? withoutIndexes(client, 'subscriber', people) : people());
    await copy(`subscriber_tag`, (n) => `${org}\t${tagUuid}\t${uuidAt(n)}\tnow\n`, tagEvery);
    await client.query(
      `insert into tally_delta (organization_id, metric, key, day, n) values ($1, 'status', $2, current_date, $3), ($1, 'tagged', $4, current_date, $5)`,
      [org, status, count, tagUuid, Math.ceil(count / tagEvery)],
    );
    await client.query('commit');
    if (analyze) await client.query('vacuum analyze subscriber, subscriber_tag');
  } finally {
    await client.end();
  }
  return { tagUuid, fieldUuid, uuidAt };
}

/** Lines in pieces large enough that the stream's own cost does not show. */
function* chunks(line: (n: number) => string, count: number, every: number): Generator<string> {
  let text = '';
  for (let n = 0; n < count; n += every) {
    text += line(n);
    if (text.length > 65_536) {
      yield text;
      text = '';
    }
  }
  yield text;
}
