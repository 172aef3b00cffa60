import { randomBytes } from 'node:crypto';
import type { SubscriberEventType } from '#contracts';
import { newUuid, uuidOf } from '#database';
import type { Sql } from '#database';
import type { Random } from './random.js';

/** One person of a random population, as the evaluator sees it. */
export interface Person {
  uuid: string;
  createdAt: number;
  updatedAt: number;
  email: string;
  name: string | null;
  phone: string | null;
  country: string | null;
  isRole: boolean;
  isDisposable: boolean;
  /** Values by field name. */
  fields: Record<string, string>;
  /** Tag names. */
  tags: string[];
  /** Null: nothing ever happened. */
  activity: {
    emailCount: number;
    openCount: number;
    machineOpenCount: number;
    clickCount: number;
    machineClickCount: number;
    revenue: number;
    lastEmailedAt: number | null;
    lastOpenedAt: number | null;
    lastClickedAt: number | null;
  } | null;
  events: { type: SubscriberEventType; at: number }[];
}

export const tagNames = ['Red', 'Été', 'b_l%ue', "o'clock"];
export const fieldNames = ['City', 'Score', 'Renewal'];
const letters = ['a', 'B', 'é', 'É', '%', '_', '\\', "'", ' ', 'ñ', '"', '$1', 'z'];
const dayMs = 86_400_000;

export const someText = (random: Random): string =>
  Array.from({ length: random.int(1, 4) }, () => random.pick(letters))
    .join('')
    .trim() || 'x';

const instant = (random: Random, now: number): number => now - random.int(0, 400 * dayMs);
const maybe = <T>(random: Random, value: () => T): T | null => (random.chance(0.3) ? null : value());

/** Texts of a field that read as numbers, dates, both or neither. */
export function fieldText(random: Random, now: number): string {
  const at = new Date(instant(random, now));
  const kinds = [
    () => someText(random),
    () => String(random.int(-20, 20)),
    () => `${random.int(0, 9)}.${random.int(0, 99)}`,
    () => at.toISOString().slice(0, 10),
    () => at.toISOString(),
    () => at.toISOString().slice(0, 19),
    () => random.pick(['2024-02-30', '2024-13-01', '1e400', '0x10', '--1', '2023-02-29T10:00', '12:00']),
  ];
  return random.pick(kinds)();
}

export function randomPerson(random: Random, now: number, eventTypes: readonly SubscriberEventType[]): Person {
  const createdAt = instant(random, now);
  const time = createdAt.toString(16).padStart(12, '0');
  const tail = randomBytes(8).toString('hex');
  const openCount = random.int(0, 4);
  const clickCount = random.int(0, 3);
  return {
    uuid: `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(4, 16)}`,
    createdAt,
    updatedAt: instant(random, now),
    email: `${random.pick(['ada', 'Bob', 'É', 'x_y'])}${random.int(0, 9)}@${random.pick(['a.example', 'B.example'])}`,
    name: maybe(random, () => someText(random)),
    phone: maybe(random, () => `+${random.int(1, 99)}`),
    country: maybe(random, () => random.pick(['FR', 'DE', 'US'])),
    isRole: random.chance(0.1),
    isDisposable: random.chance(0.1),
    fields: Object.fromEntries(
      fieldNames.flatMap((name) => (random.chance(0.7) ? [[name, fieldText(random, now)]] : [])),
    ),
    tags: tagNames.filter(() => random.chance(0.4)),
    activity: maybe(random, () => ({
      emailCount: random.int(0, 8),
      openCount,
      machineOpenCount: random.int(0, openCount),
      clickCount,
      machineClickCount: random.int(0, 2),
      revenue: random.int(0, 500) / 100,
      lastEmailedAt: maybe(random, () => instant(random, now)),
      lastOpenedAt: maybe(random, () => instant(random, now)),
      lastClickedAt: maybe(random, () => instant(random, now)),
    })),
    events: Array.from({ length: random.int(0, 12) }, () => ({
      type: random.pick(eventTypes),
      at: now - random.int(0, 27 * dayMs),
    })),
  };
}

/** Writes people, their tags, fields, activity and history as rows. */
export async function insertPopulation(sql: Sql, organizationId: string, people: readonly Person[]): Promise<void> {
  const org = uuidOf('org', organizationId);
  const key = new Map([...tagNames, ...fieldNames].map((name) => [name, newUuid()]));
  for (const [table, id, names] of [
    ['tag', 'tag_id', tagNames],
    ['custom_field', 'field_id', fieldNames],
  ] as const) {
    await sql.query(
      `insert into ${table} (organization_id, ${id}, name, name_key) select $1, u.id, u.name, lower(u.name) from unnest($2::uuid[], $3::text[]) u(id, name)`,
      [org, names.map((name) => key.get(name)), names],
    );
  }
  const at = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : new Date(ms).toISOString());
  for (const person of people) {
    const custom = Object.fromEntries(Object.entries(person.fields).map(([name, value]) => [key.get(name), value]));
    await sql.query(
      `insert into subscriber (organization_id, subscriber_id, email, email_key, name, phone, country, status, status_at,
         is_role, is_disposable, custom, updated_at) values ($1, $2, $3, $2::uuid::text, $4, $5, $6, 'SUBSCRIBED', now(), $7, $8, $9, $10)`,
      [
        ...[org, person.uuid, person.email, person.name, person.phone, person.country, person.isRole],
        ...[person.isDisposable, custom, at(person.updatedAt)],
      ],
    );
    await sql.query(`insert into subscriber_tag select $1, u, $2, now() from unnest($3::uuid[]) u`, [
      org,
      person.uuid,
      person.tags.map((name) => key.get(name)),
    ]);
    const a = person.activity;
    if (a) {
      await sql.query(
        `insert into subscriber_activity (organization_id, subscriber_id, email_count, open_count, machine_open_count, click_count,
           machine_click_count, revenue, last_emailed_at, last_opened_at, last_clicked_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        [
          ...[org, person.uuid, a.emailCount, a.openCount, a.machineOpenCount, a.clickCount, a.machineClickCount],
          ...[a.revenue, at(a.lastEmailedAt), at(a.lastOpenedAt), at(a.lastClickedAt)],
        ],
      );
    }
    await sql.query(
      `insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, data)
       select u.at, $1, u.id, $2, u.type, '{}' from unnest($3::timestamptz[], $4::uuid[], $5::text[]) u(at, id, type)`,
      [
        ...[org, person.uuid, person.events.map((event) => at(event.at))],
        ...[person.events.map(() => newUuid()), person.events.map(({ type }) => type)],
      ],
    );
  }
}
