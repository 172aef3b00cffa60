import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { feedbackRequests, recipientRequests, subscriberLifeRequests } from '#contracts';
import type { ProviderReport } from '#contracts';
import { addressHasher } from '#link-token';
import { until } from '#testing';
import { environmentFor } from '../../../test/harness/service-plans.js';
import { eraseSome } from '../src/report/erasure/erasure.job.js';
import { ErasureRepository } from '../src/report/erasure/erasure.repository.js';
import { emailHasher } from '../src/message/address-hash.js';
import { intoHistory, intoLayout, layouts, setState } from '../../../test/harness/message-layouts.js';
import { people, twoTenants } from './send-fixture.js';
import { linkTokens, shownId } from './smtp/listener-fixture.js';
import type { TwoTenants } from './send-fixture.js';

const hashEmail = emailHasher(addressHasher(environmentFor('').MASTER_KEY!));

describe.each(layouts)('messages to a deleted subscriber, %s', (layout) => {
  let { world, sink, tenant: tenant } = {} as TwoTenants;
  beforeAll(async () => {
    ({ world, sink, tenant: tenant } = await twoTenants());
  });
  afterAll(() => world.stop().then(() => sink.stop()));
  // Each test sends to all subscribers of the organization.
  beforeEach(() => world.database.query('delete from recipient_guard'));

  const remove = async (email: string) => {
    const { tidings: harness } = world;
    await harness.client(subscriberLifeRequests).delete_subscriber({ email }, harness.caller(tenant));
    await harness.deliverEvents();
  };
  const erase = () => eraseSome(new ErasureRepository(world.database.manager), hashEmail);
  const later = (hours: number) =>
    world.database.query(
      `update erasure set due_at = clock_timestamp(), created_at = created_at - $1 * interval '1 hour'`,
      [hours],
    );
  const known = async (word: string) => {
    const [row] = await world.database.query<[{ messages: number; contents: number }]>(
      `select (select count(*)::int from any_message where email like $1 or subject like $1 or subject_values::text like $1
           or response like $1) as messages,
         (select count(*)::int from message_content where html like $1 or convert_from(raw, 'UTF8') like $1) as contents`,
      [`%${word}%`],
    );
    return row;
  };
  const write = (to: string) =>
    world.tidings.data(
      'send_email',
      { from: `orders@${tenant.sender.domain}`, to, subject: `Receipt of ${to}`, html: `<p>${to}</p>` },
      tenant,
    );

  it('say nothing more of them, and count as before; those of others stay as they were', async () => {
    const [gone, stays] = people(2, 'erased.internal').map(({ email }) => email) as [string, string];
    const send = await world.send(tenant, await world.audience(tenant, people(2, 'erased.internal')));
    world.engine(sink.url);
    await world.finished(send);
    await intoLayout(world.database, layout, send.sendId);
    for (const to of [gone, stays]) await write(to);
    await until('all is recorded', async () => {
      const [row] = await world.database.query<[{ n: number }]>(
        `select count(*)::int as n from message where kind = 'TRANSACTIONAL' and state = 'DELIVERED'`,
      );
      return row.n === 2;
    });
    const before = { progress: await world.checked(send), stays: await known(stays) };
    expect(await known(gone)).toEqual({ messages: 2, contents: 1 });
    await remove(gone);
    expect(await erase()).toBe(1);
    expect(await known(gone)).toEqual({ messages: 0, contents: 0 });
    expect({ progress: await world.checked(send), stays: await known(stays) }).toEqual(before);
    expect(await erase()).toBe(0);
  });

  it('are erased once no attempt is open, and are not retried', async () => {
    const email = 'p0@open.internal';
    const send = await world.send(tenant, await world.audience(tenant, [{ email }]));
    await world.finished(send);
    await intoLayout(world.database, layout, send.sendId);
    const set = (state: string) => setState(world.database, email, state);
    await set('DEFERRED');
    await remove(email);
    await erase();
    await later(25);
    await erase();
    expect((await known(email)).messages).toBe(1);
    await set('FAILED');
    await later(0);
    await erase();
    expect((await known(email)).messages).toBe(0);
    await later(0);
    await erase();
    expect(
      await world.database.query(`select 1 from erasure where created_at < clock_timestamp() - interval '1 day'`),
    ).toEqual([]);
    const { retried } = await world.tidings
      .client(recipientRequests)
      .retry_send({ sendId: send.sendId, inDoubt: true }, world.tidings.caller(tenant));
    expect(retried).toBe(0);
  });

  if (layout === 'rows by position')
    it('are erased also where they went to an earlier address, which the history names', async () => {
      const send = await world.send(tenant, await world.audience(tenant, [{ email: 'p0@earlier.internal' }]));
      await world.finished(send);
      await intoLayout(world.database, layout, send.sendId);
      const subscriber = world.tidings.dataSource('subscriber');
      await intoHistory({ delivery: world.database, subscriber }, send.sendId);
      await subscriber.query(
        `update subscriber set email = 'p0@later.internal', email_key = 'p0@later.internal' where email_key = 'p0@earlier.internal'`,
      );
      expect((await known('p0@earlier.internal')).messages).toBe(1);
      await remove('p0@later.internal');
      await erase();
      expect((await known('p0@earlier.internal')).messages).toBe(0);
    });

  describe('are still found by late reports', () => {
    const gone = { kind: 'BOUNCED' as const, status: '5.1.1', type: null, category: null };
    /** Sends to an address, deletes its subscriber and erases the message, which it returns. */
    const erased = async (email: string) => {
      const send = await world.send(tenant, await world.audience(tenant, [{ email }]));
      await world.finished(send);
      await intoLayout(world.database, layout, send.sendId);
      const [row] = await world.database.query<[{ id: string; org: string; month: string }]>(
        `select message_id as id, organization_id as org, to_char(period, 'YYYY-MM') as month from any_message where email = $1`,
        [email],
      );
      await remove(email);
      await erase();
      return row;
    };
    const record = (reports: ProviderReport[]) =>
      world.tidings
        .client(feedbackRequests)
        .record_provider_reports({ reports }, world.tidings.caller({ organizationId: '' }));
    /** How the address is marked when its subscriber comes back. */
    const statusAgain = async (email: string) => {
      await world.tidings.deliverEvents();
      const added = await world.tidings.data<{ subscriber: { status: string } }>('add_subscriber', { email }, tenant);
      return added.subscriber.status;
    };

    it('by return path: a hard bounce marks the address, and its words are not kept', async () => {
      const email = 'p0@late-bounce.internal';
      const { id: messageId, org: organizationId, month: period } = await erased(email);
      const returnPath = `b.${linkTokens.seal('return-path', { organizationId, messageId, period })}@mail.internal`;
      const bounce = {
        ...gone,
        returnPath,
        messageId: null,
        address: email,
        text: `550 5.1.1 <${email}> no such user`,
      };
      expect(await record([bounce])).toMatchObject({ recorded: 1 });
      expect(await known(email)).toEqual({ messages: 0, contents: 0 });
      expect(await statusAgain(email)).toBe('BOUNCED');
    });

    it('by Message-ID and recipient, in any spelling; one of another recipient is not about it', async () => {
      const email = 'p0@late-complaint.internal';
      const { id } = await erased(email);
      const complaint = { kind: 'COMPLAINED' as const, feedbackType: 'abuse', provider: 'late-complaint.internal' };
      const about = (address: string) => ({
        ...complaint,
        returnPath: null,
        messageId: `<${shownId(id)}@shop.internal>`,
        address,
      });
      expect(await record([about('p1@late-complaint.internal')])).toMatchObject({ unknown: 1 });
      expect(await record([about('P0@Late-Complaint.internal')])).toMatchObject({ recorded: 1 });
      const events = await world.tidings.deliverEvents();
      expect(events.find(({ name }) => name === 'message.complained')).toMatchObject({
        data: { email: '', addressHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
      expect(await statusAgain(email)).toBe('COMPLAINED');
    });
  });
});
