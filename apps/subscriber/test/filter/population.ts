import { randomBytes } from 'node:crypto';
import type { SubscriberEventType } from '#contracts';
import { newSendUuid, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Random } from './random.js';

/** One subscriber of a random population, as the evaluator sees it. */
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
  /** Null when the subscriber has no activity. */
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
  events: PersonEvent[];
  /** Outcomes of campaigns, by name. */
  campaigns: Map<string, CampaignFacts>;
  /** Runs by workflow name. */
  workflows: Map<string, { active: number; completed: number }>;
}

export interface PersonEvent {
  type: SubscriberEventType;
  at: number;
  /** Of a click: its campaign (null: another mail), its URL, and whether a machine made it. */
  click?: { campaign: string | null; url: string; machine: boolean };
  /** The campaign whose row holds the event; without it, the event is a line of its own. */
  rowOf?: string;
}

export interface CampaignFacts {
  sentAt: number | null;
  bouncedAt: number | null;
  openedAt: number | null;
  lastOpenedAt: number | null;
  clickedAt: number | null;
  lastClickedAt: number | null;
}

export const tagNames = ['Red', 'Été', 'b_l%ue', "o'clock"];
export const fieldNames = ['City', 'Score', 'Renewal'];
export const campaignNames = ['Spring', 'Été', 'b_l%ue'];
export const workflowNames = ['Welcome', "o'clock"];
export const urls = ['https://a.example/', "https://a.example/?q='%_", 'https://b.example/'];
const letters = ['a', 'B', 'é', 'É', '%', '_', '\\', "'", ' ', 'ñ', '"', '$1', 'z'];
const dayMs = 86_400_000;

export const someText = (random: Random): string =>
  Array.from({ length: random.int(1, 4) }, () => random.pick(letters))
    .join('')
    .trim() || 'x';

const instant = (random: Random, now: number): number => now - random.int(0, 400 * dayMs);
const maybe = <T>(random: Random, value: () => T): T | null => (random.chance(0.3) ? null : value());

/** Whether the campaigns of a subscriber have messages with ids by position, whose rows also hold events. */
const isByPosition = ({ uuid }: Person): boolean => Number.parseInt(uuid.at(-1)!, 16) % 2 === 0;

/** Lets rows of campaigns hold events: each row that was sent an EMAIL_SENT, and some an EMAIL_RECEIVED of the subscriber. */
export function holdEventsInRows(people: readonly Person[]): void {
  for (const person of people.filter(isByPosition)) {
    const received = person.events.filter(({ type }) => type === 'EMAIL_RECEIVED');
    for (const [rowOf, { sentAt }] of person.campaigns) {
      if (sentAt !== null) person.events.push({ type: 'EMAIL_SENT', at: sentAt, rowOf });
      const event = received.pop();
      if (event) event.rowOf = rowOf;
    }
  }
}

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
    events: Array.from({ length: random.int(0, 12) }, () => randomEvent(random, now, eventTypes)),
    campaigns: new Map(
      campaignNames.flatMap((name) => (random.chance(0.6) ? [[name, randomFacts(random, now)] as const] : [])),
    ),
    workflows: new Map(
      workflowNames.flatMap((name) =>
        random.chance(0.6) ? [[name, { active: random.int(0, 2), completed: random.int(0, 1) }] as const] : [],
      ),
    ),
  };
}

function randomEvent(random: Random, now: number, types: readonly SubscriberEventType[]): PersonEvent {
  const type = random.chance(0.3) ? 'EMAIL_CLICKED' : random.pick(types);
  const at = now - random.int(0, 27 * dayMs);
  if (type !== 'EMAIL_CLICKED') return { type, at };
  const campaign = random.chance(0.8) ? random.pick(campaignNames) : null;
  return { type, at, click: { campaign, url: random.pick(urls), machine: random.chance(0.2) } };
}

/** Random facts in the form of arriving events: any may be missing, the last is not before the first. */
function randomFacts(random: Random, now: number): CampaignFacts {
  const days = (most: number) => now - random.int(0, most * dayMs);
  const openedAt = maybe(random, () => days(60));
  const clickedAt = maybe(random, () => days(60));
  const later = (at: number | null) => (at === null ? null : random.int(at, now));
  return {
    sentAt: random.chance(0.9) ? days(60) : null,
    bouncedAt: random.chance(0.2) ? days(60) : null,
    openedAt,
    lastOpenedAt: later(openedAt),
    clickedAt,
    lastClickedAt: later(clickedAt),
  };
}

/** Writes people, their tags, fields, activity and history as rows. @returns the wire ids of tags and fields by name */
export async function insertPopulation(
  sql: Sql,
  organizationId: string,
  { people, ids }: { people: readonly Person[]; ids: ReadonlyMap<string, string> },
): Promise<{ tags: Map<string, string>; fields: Map<string, string> }> {
  const org = uuidOf('org', organizationId);
  const tags = new Map(tagNames.map((name) => [name, newUuid()]));
  const fields = new Map(fieldNames.map((name) => [name, newUuid()]));
  for (const [table, id, keys] of [
    ['tag', 'tag_id', tags],
    ['custom_field', 'field_id', fields],
  ] as const) {
    await sql.query(
      `insert into ${table} (organization_id, ${id}, name, name_key) select $1, u.id, u.name, lower(u.name) from unnest($2::uuid[], $3::text[]) u(id, name)`,
      [org, [...keys.values()], [...keys.keys()]],
    );
  }
  const campaign = (name: string | null) => (name === null ? null : uuidOf('cmp', ids.get(`campaign ${name}`)));
  const insert = (table: string, rows: object[]) =>
    sql.query(`insert into ${table} select (jsonb_populate_recordset(null::${table}, $1::jsonb)).*`, [
      JSON.stringify(rows.map((row) => ({ organization_id: org, ...row }))),
    ]);
  await insert(
    'subscriber',
    people.map((person) => subscriberRow(person, fields)),
  );
  await insert(
    'subscriber_tag',
    people.flatMap(({ uuid, tags: names }) =>
      names.map((name) => ({ subscriber_id: uuid, tag_id: tags.get(name), added_at: at(0) })),
    ),
  );
  await insert('subscriber_activity', people.flatMap(activityRow));
  await insert(
    'subscriber_event',
    people.flatMap(({ uuid, events }) =>
      events
        .filter(({ rowOf }) => rowOf === undefined)
        .map(({ type, at: when, click }) => ({
          created_at: at(when),
          event_id: newUuid(),
          subscriber_id: uuid,
          type,
          campaign_id: click ? campaign(click.campaign) : null,
          data: click ?? {},
        })),
    ),
  );
  const older = people.filter((person) => !isByPosition(person));
  await insert(
    'subscriber_campaign',
    older.flatMap(({ uuid, campaigns }) =>
      [...campaigns].map(([name, facts]) => ({ campaign_id: campaign(name), subscriber_id: uuid, ...factsRow(facts) })),
    ),
  );
  await insertByPosition(sql, {
    org,
    campaignIds: new Map(campaignNames.map((name) => [name, campaign(name)])),
    people: people.filter(isByPosition),
  });
  await insert(
    'subscriber_workflow',
    people.flatMap(({ uuid, workflows }) =>
      [...workflows].map(([name, { active, completed }]) => ({
        workflow_id: uuidOf('wf', ids.get(`workflow ${name}`)),
        subscriber_id: uuid,
        active_runs: active,
        completed_runs: completed,
        entered_at: at(0),
      })),
    ),
  );
  const wire = (prefix: 'tag' | 'fld', keys: Map<string, string>) =>
    new Map([...keys].map(([name, uuid]) => [name, wireId(prefix, uuid)]));
  return { tags: wire('tag', tags), fields: wire('fld', fields) };
}

const at = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

const factsRow = (facts: CampaignFacts) => ({
  sent_at: at(facts.sentAt),
  bounced_at: at(facts.bouncedAt),
  opened_at: at(facts.openedAt),
  last_opened_at: at(facts.lastOpenedAt),
  clicked_at: at(facts.clickedAt),
  last_clicked_at: at(facts.lastClickedAt),
});

async function insertByPosition(
  sql: Sql,
  {
    org,
    campaignIds,
    people,
  }: { org: string | null; campaignIds: ReadonlyMap<string, string | null | undefined>; people: readonly Person[] },
): Promise<void> {
  for (const [name, campaignId] of campaignIds) {
    const rows = people.flatMap(({ uuid, campaigns, events }, position) => {
      const facts = campaigns.get(name);
      const received = events.find(({ type, rowOf }) => type === 'EMAIL_RECEIVED' && rowOf === name)?.at ?? null;
      return facts ? [{ position, subscriber_id: uuid, delivered_at: at(received), ...factsRow(facts) }] : [];
    });
    const instants = rows.flatMap(({ sent_at, delivered_at }) => [sent_at, delivered_at].filter((one) => one !== null));
    await sql.query(
      `with ref as (
         insert into campaign_ref (organization_id, campaign_id, send_id, name, subject_parts, first_at, last_at)
         values ($1, $2, $3, $4, '{Hello}', $5, $6) returning campaign_no)
       insert into campaign_recipient
       select (jsonb_populate_record(null::campaign_recipient, u || jsonb_build_object('campaign_no', campaign_no))).*
       from ref, jsonb_array_elements($7::jsonb) u`,
      [
        org,
        campaignId,
        newSendUuid(),
        name,
        instants.sort()[0] ?? at(0),
        instants.at(-1) ?? at(0),
        JSON.stringify(rows),
      ],
    );
  }
}

const subscriberRow = (person: Person, fields: ReadonlyMap<string, string>) => ({
  subscriber_id: person.uuid,
  email: person.email,
  email_key: person.uuid,
  name: person.name,
  phone: person.phone,
  country: person.country,
  status: 'SUBSCRIBED',
  status_at: at(0),
  is_role: person.isRole,
  is_disposable: person.isDisposable,
  updated_at: at(person.updatedAt),
  custom: Object.fromEntries(Object.entries(person.fields).map(([name, value]) => [fields.get(name), value])),
});

const activityRow = ({ uuid, activity: a }: Person) =>
  a
    ? [
        {
          subscriber_id: uuid,
          email_count: a.emailCount,
          open_count: a.openCount,
          machine_open_count: a.machineOpenCount,
          click_count: a.clickCount,
          machine_click_count: a.machineClickCount,
          revenue: a.revenue,
          soft_bounced_at: [],
          counted_bounced_at: [],
          last_emailed_at: at(a.lastEmailedAt),
          last_opened_at: at(a.lastOpenedAt),
          last_clicked_at: at(a.lastClickedAt),
        },
      ]
    : [];
