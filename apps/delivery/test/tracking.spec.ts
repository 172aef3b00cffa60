import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import { connectBus, hitStream } from '#bus';
import type { Bus, DurableStream } from '#bus';
import type { EventData, Hit } from '#contracts';
import { newId, uuidOf, wireId } from '#database';
import { createLogger } from '#observability';
import { CallContexts } from '#service-host';
import { SmtpSink, until } from '#testing';
import { HitWorker } from '../src/report/tracking/hit.worker.js';
import { intoLayout, layouts } from '../../../test/harness/message-layouts.js';
import { markdown, people, SendFixture, template } from './send-fixture.js';
import type { Sending } from './send-fixture.js';

jest.setTimeout(120_000);

const withTagLink = `${markdown}

[Count me in]({{addTag:vip}})`;
const ownTenant = 'https://shop.internal/?id={{email}}';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe.each(layouts)('opens and clicks of %s', (layout) => {
  let world: SendFixture;
  let sink: SmtpSink;
  let bus: Bus;
  let stream: DurableStream;
  let store: JetStreamManager;
  let worker: HitWorker;
  let tenant: Sending;
  let campaignId: string;
  /** The month of all messages, which may have ended since. */
  let period: string;
  const messageIds: string[] = [];

  beforeAll(async () => {
    world = await SendFixture.start();
    sink = await SmtpSink.start();
    tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(7)), { template: template(withTagLink) });
    campaignId = send.campaignId;
    world.engine(sink.url);
    await world.finished(send);
    await world.stopEngines();
    // Accepted so long ago that a person may have read it.
    await world.database.query(`update message set accepted_at = accepted_at - interval '1 hour'`);
    await intoLayout(world.database, layout, send.sendId);
    const rows: { message_id: string; month: string }[] = await world.database.query(
      `select message_id, to_char(period, 'YYYY-MM') as month from any_message order by email`,
    );
    period = rows[0]!.month;
    messageIds.push(...rows.map((row) => wireId('msg', row.message_id)));
    await world.tidings.deliverEvents();

    bus = await connectBus({ url: process.env.NATS_URL!, namespace: `t-${randomUUID().slice(0, 8)}`, name: 'spec' });
    stream = hitStream(bus);
    await stream.ensure();
    store = await jetstreamManager(bus.connection);
    worker = startWorker();
  });
  afterAll(async () => {
    await worker.stop();
    await bus.close();
    await world.stop();
    await sink.stop();
  });

  const startWorker = () => {
    const contexts = new CallContexts('delivery', world.database, () => undefined);
    const one = new HitWorker({ stream, contexts, log: createLogger('delivery', 'silent') });
    one.start();
    return one;
  };
  const hitOn = (n: number, change: Partial<Hit> = {}): Hit => ({
    hitId: randomUUID(),
    kind: 'open',
    organizationId: tenant.organizationId,
    messageId: messageIds[n]!,
    period,
    linkNumber: null,
    url: null,
    at: new Date().toISOString(),
    userAgent: firefox,
    ...change,
  });
  const click = (link: number): Partial<Hit> => ({
    kind: 'click',
    linkNumber: link,
    url: `https://shop.internal/${link}`,
  });
  /** A consumer's pending count can lag behind the last published message, so positions in the stream are compared. */
  const allAreAcknowledged = async () => {
    const name = `${bus.namespace}_hits`;
    const [kept, worked] = await Promise.all([store.streams.info(name), store.consumers.info(name, 'delivery')]);
    return worked.ack_floor.stream_seq === kept.state.last_seq;
  };
  /** Publishes hits, waits until they are processed, and returns their message events. */
  const facts = async (hits: readonly unknown[]) => {
    for (const one of hits) await stream.publish('hits', JSON.stringify(one));
    await until('the hits are worked on', () => allAreAcknowledged().catch(() => false), 30_000);
    const events = await world.tidings.deliverEvents();
    return events.flatMap((event) =>
      event.name === 'message.opened' || event.name === 'message.clicked'
        ? [{ name: event.name, ...(event.data as EventData<'message.clicked'>) }]
        : [],
    );
  };
  const row = async (n: number) => {
    const [one] = await world.database.query<[{ opens: number; clicks: number; opened: boolean; clicked: boolean }]>(
      `select opens, clicks, first_opened_at is not null as opened, first_clicked_at is not null as clicked from any_message where message_id = $1`,
      [uuidOf('msg', messageIds[n])],
    );
    return one;
  };

  it('are reported with their message, the first one as such', async () => {
    const recorded = await facts([hitOn(0), hitOn(0)]);
    expect(recorded).toMatchObject([
      { name: 'message.opened', messageId: messageIds[0], campaignId, campaignName: 'News of May', first: true },
      { name: 'message.opened', first: false, machine: false, userAgent: firefox },
    ]);
    expect(recorded[0]).toMatchObject({ email: 'p0@people.internal', subject: 'News for Person0', simulated: false });
    expect(await row(0)).toEqual({ opens: 2, clicks: 0, opened: true, clicked: false });
    expect(await facts([hitOn(0)])).toMatchObject([{ first: false }]);
  });

  it('count a click once a link, and as an opening where none was seen', async () => {
    const recorded = await facts([hitOn(1, click(0)), hitOn(1, click(0)), hitOn(1, click(1)), hitOn(1)]);
    expect(recorded.map(({ name, first, firstOfLink, url }) => [name, first, firstOfLink, url])).toEqual([
      ['message.opened', true, undefined, undefined],
      ['message.clicked', true, true, ownTenant],
      ['message.clicked', false, false, ownTenant],
      ['message.clicked', false, true, '{{addTag:vip}}'],
      ['message.opened', false, undefined, undefined],
    ]);
    expect(await row(1)).toEqual({ opens: 2, clicks: 3, opened: true, clicked: true });
  });

  it('name a link as the content has it, equally for all recipients and for tag links', async () => {
    const led = (to: string) => ({ ...click(0), url: `https://shop.internal/?id=${to}` });
    const recorded = await facts([
      hitOn(3, led('p3%40people.internal')),
      hitOn(4, led('p4%40people.internal')),
      hitOn(4, { ...click(1), url: '' }),
      hitOn(4, { ...click(9), url: 'https://shop.internal/9' }),
    ]);
    const clicked = recorded.filter(({ name }) => name === 'message.clicked').map(({ url }) => url);
    expect(clicked).toEqual([ownTenant, ownTenant, '{{addTag:vip}}', 'https://shop.internal/9']);
  });

  it('of machines are reported as such and never count as the first', async () => {
    const recorded = await facts([hitOn(2, { userAgent: 'curl/8.5.0' }), hitOn(2, { ...click(0), userAgent: null })]);
    expect(recorded).toMatchObject([
      { name: 'message.opened', machine: true, first: false },
      { name: 'message.clicked', machine: true, first: false, firstOfLink: false },
    ]);
    expect(await row(2)).toEqual({ opens: 0, clicks: 0, opened: false, clicked: false });
    expect(await facts([hitOn(2, click(0))])).toMatchObject([{ first: true }, { first: true, firstOfLink: true }]);
  });

  it('count once for any number of deliveries, also in a restarted worker', async () => {
    const one = hitOn(5);
    expect(await facts([one, one])).toHaveLength(1);
    await worker.stop();
    worker = startWorker();
    expect(await facts([one, one, { ...one }])).toEqual([]);
    expect(await row(5)).toMatchObject({ opens: 1 });
  });

  if (layout === 'rows by position')
    it('that come before the outcome of the attempt are recorded after it', async () => {
      const id = uuidOf('msg', messageIds[3]);
      const before = await row(3);
      const [[aside]] = await world.database.query<[[{ stored: object }], number]>(
        `delete from campaign_message m where message_id = $1 returning to_jsonb(m) as stored`,
        [id],
      );
      await stream.publish('hits', JSON.stringify(hitOn(3)));
      await until('it was delivered twice', async () => {
        const { delivered } = await store.consumers.info(`${bus.namespace}_hits`, 'delivery');
        return delivered.consumer_seq > delivered.stream_seq;
      });
      await world.database.query(
        `insert into campaign_message select * from jsonb_populate_record(null::campaign_message, $1)`,
        [aside.stored],
      );
      expect(await facts([])).toMatchObject([{ name: 'message.opened', messageId: messageIds[3] }]);
      expect(await row(3)).toMatchObject({ opens: before.opens + 1 });
    });

  it('of another organization, of no message or of no sense are forgotten without holding up the rest', async () => {
    const recorded = await facts([
      hitOn(6, { organizationId: newId('org') }),
      hitOn(6, { messageId: newId('msg') }),
      hitOn(6, { messageId: 'msg_x' }),
      hitOn(6, { period: '2001-01' }),
      hitOn(6, { hitId: 'x' }),
      { nonsense: true },
      hitOn(6, { period: '2001-99' }),
      hitOn(6),
    ]);
    // An id by position leads to its month.
    const counted = layout === 'rows by position' ? 2 : 1;
    expect(recorded.map(({ messageId, first }) => ({ messageId, first }))).toEqual(
      [true, false].slice(0, counted).map((first) => ({ messageId: messageIds[6], first })),
    );
    expect(await row(6)).toMatchObject({ opens: counted });
  });
});
