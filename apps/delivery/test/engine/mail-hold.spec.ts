import { describe, expect, it, jest } from '@jest/globals';
import { messageRequests, mailHoldRequests } from '#contracts';
import { until } from '#testing';
import { people, SendFixture } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

jest.setTimeout(180_000);

let goOn = () => {};

describe('mail that is held', () => {
  const world = SendFixture.ofSuite({}, 1);
  const holds = () => world.tidings.client(mailHoldRequests);
  const installation = () => world.tidings.caller({ organizationId: '' });
  const hold = () => holds().hold_mail({ reason: 'a wrong template', by: 'the operator' }, installation());
  const release = () => holds().release_mail({}, installation());

  /** One message of each kind that is not a campaign's. */
  async function single(tenant: Sending): Promise<void> {
    const mail = { to: 'two@single.internal', from: tenant.sender.email, subject: 'Receipt', html: '<p>Thanks</p>' };
    await world.tidings.data('send_email', mail, tenant);
    const test = { senderId: null, replyTo: null, subject: 'Look', html: '<p>Look</p>', text: 'Look' };
    await world.tidings
      .client(messageRequests)
      .queue_test({ ...test, sourceKey: 'test', email: 'three@single.internal' }, world.tidings.caller(tenant));
  }

  it('does not arrive, and arrives once after the release, for every kind and every sending engine', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    await hold();
    const send = await world.send(tenant, await world.audience(tenant, people(600)));
    await single(tenant);
    for (let n = 0; n < 2; n++) world.engine(sink.url);
    await until('the progress names the hold', async () =>
      Boolean((await world.progress(send)).waitingFor?.includes('held')),
    );
    expect((await world.progress(send)).waitingFor).toBe(
      'All mail is held (a wrong template). It goes on after `tidings mail release`.',
    );
    // An engine looks for work every half second here; two seconds give each several chances to send.
    // oxlint-disable-next-line tidings/fixed-waits -- proves that nothing is sent
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(sink.accepted).toBe(0);
    const { hold: state, waiting } = await holds().get_mail_hold({}, installation());
    expect(state).toMatchObject({ reason: 'a wrong template', by: 'the operator' });
    expect(waiting).toEqual({ messages: 2, sends: 1 });

    expect((await release()).hold).toBeNull();
    expect(await world.finished(send)).toMatchObject({ sent: 600, inDoubt: 0, waitingFor: null });
    await until('single mail arrives', () => sink.counts.size === 602, 60_000);
    expect([...sink.counts].filter(([, n]) => n !== 1)).toEqual([]);
  });

  it('stops a campaign that is being sent, and a single message that was claimed before', async () => {
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const sink = await world.relay({
      throttle: 400,
      behave: () => (sink.accepted < 50 ? { do: 'accept' } : { do: 'wait', until: held }),
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(700)));
    world.engine(sink.url);
    await until('mail goes out', () => sink.accepted >= 50, 60_000);
    await hold();
    await single(tenant);
    goOn();
    await until('the pages are given back', async () => (await world.leasedPages(send)) === 0, 60_000);
    const { accepted } = sink;
    expect((await world.checked(send)).sent).toBe(accepted);
    expect(accepted).toBeLessThan(150);

    await release();
    expect(await world.finished(send)).toMatchObject({ state: 'DONE', sent: 700, inDoubt: 0 });
    await until('single mail arrives', () => sink.counts.size === 702, 60_000);
    expect([...sink.counts].filter(([, n]) => n !== 1)).toEqual([]);
  });

  it('starts no campaign that becomes due while mail is held after a restore', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    await world.database.query(
      `insert into mail_hold (reason, held_by, pauses_sends) values ('restored from a backup', 'spec', true)`,
    );
    const send = await world.send(tenant, await world.audience(tenant, people(3)));
    await release();
    world.engine(sink.url);
    expect(await world.progress(send)).toMatchObject({
      state: 'PAUSED',
      pausedReason: 'RESTORED: restored from a backup',
    });
    await world.setState(send, 'RUNNING');
    expect(await world.finished(send)).toMatchObject({ sent: 3 });
  });

  it('a stopped campaign still ends while mail is held', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(3)));
    await hold();
    await world.setState(send, 'STOPPED');
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 0, skipped: { STOPPED: 3 } });
    await release();
  });
});
