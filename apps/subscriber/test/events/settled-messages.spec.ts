import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventData } from '#contracts';
import { messageIdAt, newId, newSendUuid, newUuid, uuidOf, wireId } from '#database';
import { applyBatches, settledData } from '#events';
import type { MessageToSettle } from '#events';
import { addressHasher } from '#link-token';
import { createLogger } from '#observability';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { messageHandlers } from '../../src/activity/message.consumer.js';
import { Seeded } from '../filter/random.js';
import { organization, person, tell } from '../subscriber-fixture.js';
import type { ReportedMail, Subscriber } from '../subscriber-fixture.js';

const seed = Number(process.env.SETTLED_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = new Seeded(seed);
const peopleCount = 12;
const chunkSize = 5;
const names = ['Spring', 'Summer', 'Autumn', 'Winter'];
const monthBefore = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1)).getTime();

/** One message of the random past, by the index of campaign and subscriber. */
interface Mail {
  campaign: number;
  recipient: number;
  at: string;
  outcome: MessageToSettle['outcome'];
  /** Of a deferred message: when and how it left. */
  retry: { at: string; isDelivered: boolean } | null;
  later: {
    name: 'message.opened' | 'message.clicked' | 'message.bounced' | 'message.complained';
    at: string;
    machine: boolean;
  }[];
}

interface Event {
  id: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: string;
}

/** Instants are in whole milliseconds, and no two of a subscriber are equal: then the order of entries is known. */
function randomPast(): Mail[] {
  let tick = 0;
  const after = (at: number) =>
    new Date(Math.min(Date.now(), at + random.int(1, 20) * 3_600_000) - ++tick).toISOString();
  return names.flatMap((_name, campaign) => {
    const start = random.int(monthBefore + 86_400_000, Date.now() - 86_400_000);
    return Array.from({ length: peopleCount }, (_, recipient) => recipient).flatMap((recipient) => {
      if (random.chance(0.2)) return [];
      const at = new Date(start + Math.floor(recipient / chunkSize)).toISOString();
      const outcome = random.pick([
        'DELIVERED',
        'DELIVERED',
        'DELIVERED',
        'SENT',
        'FAILED',
        'DEFERRED',
        'SKIPPED',
      ] as const);
      const kinds = ['message.opened', 'message.clicked', 'message.bounced', 'message.complained'] as const;
      const hasLeft = outcome === 'DELIVERED' || outcome === 'SENT';
      const later = Array.from({ length: hasLeft ? random.int(0, 3) : 0 }, () => ({
        name: random.pick(kinds),
        at: after(start),
        machine: random.chance(0.3),
      }));
      const retry =
        outcome === 'DEFERRED' && random.chance(0.7) ? { at: after(start), isDelivered: random.chance(0.7) } : null;
      return [{ campaign, recipient, at, outcome, retry, later }];
    });
  });
}

/** The events of a message after its first attempt, or of one that is reported alone. */
function singleEvents(
  mail: Mail,
  about: EventData<'message.sent'>,
  { isSettled }: { isSettled: boolean },
): ReportedMail[][] {
  const at = (when: string) => ({ ...about, at: when });
  const sent = (when: string, isDelivered: boolean): ReportedMail[] => [
    { name: 'message.sent', data: at(when) },
    ...(isDelivered ? [{ name: 'message.delivered' as const, data: at(when) }] : []),
  ];
  const bounce = {
    bounceType: 'SOFT' as const,
    bounceCategory: 'MAILBOX_FULL' as const,
    reason: '452 full',
    provider: null,
    status: '4.2.2',
  };
  const units: ReportedMail[][] = mail.later.map(({ name, at: when, machine }) => {
    const one = at(when);
    if (name === 'message.opened') return [{ name, data: { ...one, machine, first: false, userAgent: 'a Reader' } }];
    if (name === 'message.clicked')
      return [
        {
          name,
          data: { ...one, machine, first: false, firstOfLink: false, url: 'https://a.example/', userAgent: null },
        },
      ];
    if (name === 'message.bounced') return [{ name, data: { ...one, ...bounce, countedAs: 'SENT' } }];
    return [{ name, data: { ...one, complaintFeedbackType: 'abuse', provider: null } }];
  });
  if (mail.outcome === 'FAILED') units.push([{ name: 'message.bounced', data: { ...at(mail.at), ...bounce } }]);
  if (mail.outcome === 'DEFERRED')
    units.push([{ name: 'message.delayed', data: { ...at(mail.at), reason: '451 later', attempts: 1 } }]);
  if (mail.retry) units.push(sent(mail.retry.at, mail.retry.isDelivered));
  if (!isSettled && (mail.outcome === 'DELIVERED' || mail.outcome === 'SENT'))
    units.push(sent(mail.at, mail.outcome === 'DELIVERED'));
  return units;
}

describe('settled messages of campaigns', () => {
  const harness = useFixture(() => Harness.start());
  const past = randomPast();
  let single: World;
  let grouped: World;
  let repeated: World;

  interface World extends Tenant {
    people: Subscriber[];
    campaigns: string[];
    sends: string[];
  }

  async function world(): Promise<World> {
    const tenant = await organization(harness);
    const people: Subscriber[] = [];
    for (let n = 0; n < peopleCount; n++)
      people.push(await person(harness, tenant, { email: `p${n}@example.com`, name: `Name ${n}` }));
    const campaigns: string[] = [];
    for (const name of names)
      campaigns.push(
        (await harness.data<{ campaignId: string }>('create_campaign', { name, subject: 'x' }, tenant)).campaignId,
      );
    return { ...tenant, people, campaigns, sends: names.map(newSendUuid) };
  }

  /** Every second campaign has a variable in its subject. */
  const partsOf = (campaign: number) => (campaign % 2 === 0 ? ['Hello all'] : ['Hello ', ', hello']);
  const valuesOf = ({ campaign, recipient }: Mail) => (campaign % 2 === 0 ? null : [`Name ${recipient}`]);
  const subjectOf = (mail: Mail) => partsOf(mail.campaign).join(valuesOf(mail)?.[0] ?? '');
  const aboutOf = ({ people, campaigns }: World, mail: Mail, messageId: string): EventData<'message.sent'> => ({
    messageId,
    subscriberId: people[mail.recipient]!.id,
    campaignId: campaigns[mail.campaign]!,
    campaignName: names[mail.campaign]!,
    subject: subjectOf(mail),
    email: people[mail.recipient]!.email,
    at: mail.at,
    simulated: false,
  });

  const oldUnits = (of: World): ReportedMail[][] =>
    past.flatMap((mail) => singleEvents(mail, aboutOf(of, mail, newId('msg')), { isSettled: false }));

  function newUnits(of: World): ReportedMail[][] {
    const groups = new Map<string, Mail[]>();
    for (const mail of past) {
      const key = `${mail.campaign} ${Math.floor(mail.recipient / chunkSize)}`;
      groups.set(key, [...(groups.get(key) ?? []), mail]);
    }
    const settled = [...groups.values()].map((mails): ReportedMail[] => {
      const [{ campaign, recipient, at }] = mails as [Mail];
      const about = { sendId: wireId('send', of.sends[campaign]!), campaignId: of.campaigns[campaign]!, at };
      const messages = mails.map((mail) => ({
        position: mail.recipient % chunkSize,
        subscriberId: of.people[mail.recipient]!.id,
        outcome: mail.outcome,
        variant: null,
        destination: 'other',
        simulated: false,
        subjectValues: valuesOf(mail),
      }));
      return [
        {
          name: 'messages.settled',
          data: settledData({ ...about, chunk: Math.floor(recipient / chunkSize) }, messages),
        },
      ];
    });
    const started = names.map((campaignName, n): ReportedMail[] => [
      {
        name: 'send.started',
        data: {
          sendId: wireId('send', of.sends[n]!),
          campaignId: of.campaigns[n]!,
          campaignName,
          subjectParts: partsOf(n),
          at: new Date().toISOString(),
        },
      },
    ]);
    const singles = past.flatMap((mail) => {
      const id = messageIdAt(
        of.sends[mail.campaign]!,
        Math.floor(mail.recipient / chunkSize),
        mail.recipient % chunkSize,
      );
      return singleEvents(mail, aboutOf(of, mail, wireId('msg', id)), { isSettled: true });
    });
    return [...started, ...settled, ...singles];
  }

  async function apply(of: World, units: ReportedMail[][], { twice = false } = {}): Promise<void> {
    for (let at = 0; at < units.length;) {
      const size = random.int(1, 30);
      await tell(harness, of, units.slice(at, at + size).flat());
      at += size;
    }
    if (!twice) return;
    await harness
      .dataSource('delivery')
      .query(`update outbox set published_at = null where organization_id = $1`, [uuidOf('org', of.organizationId)]);
    expect(await harness.deliverEvents()).not.toHaveLength(0);
  }

  beforeAll(async () => {
    [single, grouped, repeated] = [await world(), await world(), await world()];
    await apply(single, random.shuffle(oldUnits(single)));
    const units = newUnits(grouped);
    await apply(grouped, random.shuffle(units));
    await apply(repeated, newUnits(repeated).reverse(), { twice: true });
  });

  const others = (): [string, World][] => [
    ['groups in random order', grouped],
    ['groups in reverse order, twice', repeated],
  ];
  /** What does not depend on the organization. */
  const shown = ({ campaigns }: World, { type, data, createdAt }: Event) => {
    const { emailId, campaignId, ...rest } = data;
    return { type, createdAt, ...rest, mail: typeof emailId, campaign: campaigns.indexOf(String(campaignId)) };
  };
  /** Lines of the tools that made subscriber and campaign have their own times. */
  const ofMail = ({ type }: { type: string }) => type.startsWith('EMAIL_');
  const page = (of: World, input: object) =>
    harness.data<{ events: (Event & { eventType: string })[]; nextCursor: string | null; counts?: object }>(
      'search_subscriber_events',
      input,
      of,
    );

  async function pagedIds(of: World, input: object): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const part: Awaited<ReturnType<typeof page>> = await page(of, { ...input, limit: 3, ...(cursor && { cursor }) });
      ids.push(...part.events.map(({ id }) => id));
      cursor = part.nextCursor;
    }
    return ids;
  }

  it('are reported by one event and leave no line of their own', async () => {
    const lines: { n: number }[] = await harness
      .dataSource('subscriber')
      .query(
        `select count(*)::int as n from subscriber_event where organization_id = $1 and type in ('EMAIL_SENT', 'EMAIL_RECEIVED')`,
        [uuidOf('org', grouped.organizationId)],
      );
    expect(lines).toEqual([{ n: 0 }]);
    const { events } = await page(grouped, { email: 'p0@example.com', eventTypes: ['EMAIL_SENT'], limit: 100 });
    const first = past.filter(
      ({ recipient, outcome, retry }) => recipient === 0 && (retry || outcome === 'SENT' || outcome === 'DELIVERED'),
    );
    expect(events).toHaveLength(first.length);
  });

  it('show the same history, counts and subscribers as single events', async () => {
    for (const [way, other] of others()) {
      for (let n = 0; n < peopleCount; n++) {
        const email = `p${n}@example.com`;
        const list = async (of: World, input: object) => {
          const { events, total } = await harness.data<{ events: Event[]; total: number }>(
            'list_subscriber_events',
            { email, ...input },
            of,
          );
          return { total, events: events.filter(ofMail).map((event) => shown(of, event)) };
        };
        for (const input of [
          { limit: 100 },
          { eventType: 'EMAIL_SENT' },
          { eventType: 'EMAIL_RECEIVED', limit: 1 },
          { eventType: 'EMAIL_OPENED' },
        ])
          expect([seed, way, email, await list(other, input)]).toEqual([seed, way, email, await list(single, input)]);
        const counters = async (of: World) => {
          const { subscriber } = await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, of);
          const { emailCount, openCount, clickCount, status } = subscriber;
          return { emailCount, openCount, clickCount, status };
        };
        expect([seed, way, email, await counters(other)]).toEqual([seed, way, email, await counters(single)]);
      }
    }
  });

  it('are found by type, text and period, page by page in both orders', async () => {
    const middle = new Date((monthBefore + Date.now()) / 2).toISOString();
    const mailTypes = [
      'EMAIL_SENT',
      'EMAIL_RECEIVED',
      'EMAIL_OPENED',
      'EMAIL_CLICKED',
      'EMAIL_BOUNCED',
      'EMAIL_DELIVERY_DELAYED',
    ];
    const searches = [
      { eventTypes: mailTypes },
      { eventTypes: ['EMAIL_RECEIVED', 'EMAIL_CLICKED'] },
      { eventTypes: mailTypes, query: 'HELLO' },
      { eventTypes: mailTypes, query: 'receivedat' },
      { eventTypes: mailTypes, query: 'name 3, h' },
      { eventTypes: mailTypes, query: 'email_s' },
      { eventTypes: mailTypes, from: middle },
      { eventTypes: mailTypes, to: middle },
    ];
    for (const [way, other] of others()) {
      for (let n = 0; n < peopleCount; n += 3) {
        const email = `p${n}@example.com`;
        for (const search of searches) {
          const found: object[][] = [];
          for (const each of [single, other]) {
            const whole = await page(each, { email, ...search, counts: true, limit: 100 });
            const ids = whole.events.map(({ id }) => id);
            expect(await pagedIds(each, { email, ...search, order: 'DESC' })).toEqual(ids);
            expect(await pagedIds(each, { email, ...search, order: 'ASC' })).toEqual([...ids].reverse());
            found.push([
              whole.events.map((event) => shown(each, { ...event, type: event.eventType ?? event.type })),
              whole.counts ?? {},
            ]);
          }
          expect([seed, way, email, search, found[1]]).toEqual([seed, way, email, search, found[0]]);
        }
      }
    }
  });

  it('meet the same filters', async () => {
    const days = Math.ceil((Date.now() - monthBefore) / 86_400_000 / 2);
    const event = (field: string, more: object) => ({ type: 'EVENT', field, operator: 'HAPPENED', ...more });
    const filters = [
      ...['EMAIL_SENT', 'EMAIL_RECEIVED', 'EMAIL_BOUNCED'].flatMap((field) => [
        event(field, {}),
        event(field, { inLastDays: days }),
        event(field, { minCount: 2 }),
        event(field, { minCount: 2, inLastDays: days }),
        { ...event(field, { inLastDays: days }), operator: 'NOT_HAPPENED' },
      ]),
      ...['RECEIVED', 'NOT_RECEIVED', 'OPENED', 'NOT_OPENED', 'CLICKED', 'NOT_CLICKED', 'BOUNCED'].flatMap(
        (operator) => [
          { type: 'CAMPAIGN', operator, any: true },
          ...names.map((campaignName) => ({ type: 'CAMPAIGN', operator, campaignName })),
          { type: 'CAMPAIGN', operator, any: true, inLastDays: days },
        ],
      ),
    ];
    const count = async (of: World, filter: object) =>
      (
        await harness.data<{ subscribers: { email: string }[] }>(
          'search_subscribers',
          { filters: [filter], limit: 100 },
          of,
        )
      ).subscribers
        .map(({ email }) => email)
        .sort();
    const matches = await Promise.all(filters.map(async (filter) => (await count(single, filter)).length));
    expect(new Set(matches).size).toBeGreaterThan(3);
    for (const [way, other] of others()) {
      for (const filter of filters)
        expect([seed, way, filter, await count(other, filter)]).toEqual([
          seed,
          way,
          filter,
          await count(single, filter),
        ]);
    }
  });

  it('that cannot be read become dead letters, and hold up no other event', async () => {
    const tenant = await world();
    const log = createLogger('subscriber', 'silent');
    const group = (n: number, of: World, sends: World) =>
      settledData(
        {
          sendId: wireId('send', sends.sends[0]!),
          campaignId: of.campaigns[0]!,
          chunk: n,
          at: new Date().toISOString(),
        },
        [
          {
            position: 0,
            subscriberId: of.people[n]!.id,
            outcome: 'SENT',
            variant: null,
            destination: 'other',
            simulated: false,
            subjectValues: null,
          },
        ],
      );
    const event = (data: EventData<'messages.settled'>) => ({
      id: newId('evt'),
      name: 'messages.settled' as const,
      organizationId: tenant.organizationId,
      data,
    });
    const events = [
      event(group(0, tenant, tenant)),
      event({ ...group(1, tenant, tenant), positions: [[0, 9]] }),
      // A send of another organization.
      event(group(2, tenant, grouped)),
      // Subscribers of another organization.
      event({ ...group(3, grouped, tenant) }),
      event(group(4, tenant, tenant)),
    ];
    const dataSource = harness.dataSource('subscriber');
    await applyBatches(
      {
        service: 'subscriber',
        dataSource,
        handlers: messageHandlers(addressHasher('07'.repeat(32))),
        log,
        committed: () => undefined,
      },
      [{ outboxId: newUuid(), events }],
      { failures: 1, guard: () => Promise.resolve(true) },
    );
    const dead: { id: string }[] = await dataSource.query(
      `select event ->> 'id' as id from dead_letter where event ->> 'id' = any($1) order by 1`,
      [events.map(({ id }) => id)],
    );
    expect(dead.map(({ id }) => id).sort()).toEqual([events[1]!.id, events[2]!.id].sort());
    const emails = async (of: World, n: number) =>
      (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: of.people[n]!.id }, of))
        .subscriber.emailCount;
    expect(await Promise.all([0, 1, 2, 3, 4].map((n) => emails(tenant, n)))).toEqual([1, 0, 0, 0, 1]);
  });
});
