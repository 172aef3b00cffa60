import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { deliveryRequests, messageRequests, recipientRequests } from '#contracts';
import type { SenderFacts } from '#contracts';
import { newId, newUuid, uuidOf } from '#database';
import { CallContexts } from '#service-host';
import { until } from '#testing';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { finishSends } from '../../src/send/finish-send.job.js';

const sender: SenderFacts = {
  id: newId('snd'),
  displayName: 'Garden Shop',
  localPart: 'news',
  domain: 'shop.internal',
  email: 'news@shop.internal',
  replyTo: null,
  isDefault: true,
  domainId: newId('dom'),
  domainStatus: 'VERIFIED',
  mailFromDomain: 'bounce.shop.internal',
};

const send = (sendId: string) => ({
  sendId,
  campaignId: newId('cmp'),
  campaignName: 'News',
  audienceId: newId('aud'),
  total: 1200,
  pages: 3,
  template: { format: 1 },
  sender,
  replyTo: null,
  organizationName: 'Garden Shop',
  tracking: { opens: true, clicks: true },
});

describe('start_send', () => {
  const tenant = { organizationId: newId('org') };
  const otherTenant = { organizationId: newId('org') };
  const harness = useFixture(() => Harness.start());

  const delivery = () => harness.client(deliveryRequests);
  const queue = () => harness.client(messageRequests);
  const started = async () => {
    const one = send(newId('send'));
    await delivery().start_send(one, harness.caller(tenant));
    return one;
  };

  /** An organization of its own, and its calls with a quota of mails. */
  const newTenant = () => {
    const organizationId = newId('org');
    const as = (mailsPerMonth: number | null) =>
      harness.caller({
        organizationId,
        bounds: { plan: 'FREE', quotas: { contacts: null, mailsPerMonth, domains: null } },
      });
    return { organizationId, as };
  };
  const used = async (as: ReturnType<typeof newTenant>['as']) => {
    const refused = await delivery()
      .assert_mails_fit({ asked: 1 }, as(0))
      .catch((error: Error) => error.message);
    return Number(/(\d+) were accepted this month/.exec(String(refused))?.[1]);
  };

  it('accepts a send with all recipients pending', async () => {
    const { sendId, campaignId } = await started();
    const { progress } = await delivery().get_send_progress({ sendId }, harness.caller(tenant));
    expect(progress).toMatchObject({ sendId, campaignId, state: 'RUNNING', total: 1200, pending: 1200, sent: 0 });
    expect(progress).toMatchObject({ skipped: {}, waitingFor: null, finishedAt: null, ratePerSecond: 0 });
  });

  it('changes nothing when it comes again', async () => {
    const { sendId, campaignId } = await started();
    await delivery().start_send({ ...send(sendId), total: 1, pages: 1 }, harness.caller(tenant));
    const { progress } = await delivery().get_send_progress({ sendId }, harness.caller(tenant));
    expect(progress).toMatchObject({ campaignId, total: 1200 });
  });

  it('pauses, resumes and stops; a stopped send stays stopped', async () => {
    const { sendId } = await started();
    const change = async (state: 'RUNNING' | 'PAUSED' | 'STOPPED', reason: string | null = null) =>
      (await delivery().set_send_state({ sendId, state, reason }, harness.caller(tenant))).state;
    expect(await change('PAUSED', 'too many bounces')).toBe('PAUSED');
    const { progress } = await delivery().get_send_progress({ sendId }, harness.caller(tenant));
    expect(progress).toMatchObject({ state: 'PAUSED', pausedReason: 'too many bounces' });
    expect(await change('RUNNING')).toBe('RUNNING');
    expect(await change('STOPPED')).toBe('STOPPED');
    expect(await change('RUNNING')).toBe('STOPPED');
    expect(await change('PAUSED')).toBe('STOPPED');
  });

  it('hides a send from another organization', async () => {
    const { sendId } = await started();
    const foreign = harness.caller(otherTenant);
    const refused = { failure: { reason: 'SEND_NOT_FOUND' } };
    await expect(delivery().get_send_progress({ sendId }, foreign)).rejects.toMatchObject(refused);
    await expect(delivery().set_send_state({ sendId, state: 'STOPPED', reason: null }, foreign)).rejects.toMatchObject(
      refused,
    );
    await expect(delivery().list_send_messages({ sendId }, foreign)).rejects.toMatchObject(refused);
    await expect(delivery().get_send_progress({ sendId: 'send_x' }, foreign)).rejects.toMatchObject(refused);
  });

  it('counts a whole send in the monthly quota, returns the share of skipped recipients, and refuses a send that exceeds it', async () => {
    const tenant = { organizationId: newId('org') };
    const bounds = { plan: 'FREE' as const, quotas: { contacts: null, mailsPerMonth: 2000, domains: null } };
    const bound = () => harness.caller({ ...tenant, bounds });
    const first = send(newId('send'));
    await delivery().start_send(first, bound());
    await delivery().start_send(first, bound());
    const second = send(newId('send'));
    await expect(delivery().start_send(second, bound())).rejects.toMatchObject({
      failure: { reason: 'QUOTA_REACHED', message: expect.stringContaining('1200 were accepted this month') },
    });
    const stopped = { sendId: first.sendId, state: 'STOPPED' as const, reason: null };
    await delivery().set_send_state(stopped, bound());
    const data = harness.dataSource('delivery');
    await data.query(`update send_page set state = 'DONE', skipped = '{"STOPPED": 400}' where send_id = $1`, [
      uuidOf('send', first.sendId),
    ]);
    await finishSends({ contexts: new CallContexts('delivery', data, () => undefined) });
    await expect(delivery().assert_mails_fit({ asked: 2001 }, bound())).rejects.toMatchObject({
      failure: { message: expect.stringContaining('0 were accepted this month') },
    });
    await delivery().start_send(second, bound());
  });

  it('judges a send by its quota once: not when it comes again, at the same moment or to a quota that is full by now', async () => {
    const { as } = newTenant();
    await delivery().start_send(send(newId('send')), as(2400));
    const one = send(newId('send'));
    const elsewhere = await new DataSource({ type: 'postgres', url: harness.ownerUrl }).initialize();
    const holder = elsewhere.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select from delivery.mail_quota for update');
    const both = Promise.all([1, 2].map(() => delivery().start_send(one, as(2400))));
    await until('both wait', async () => {
      const waiting: unknown[] = await harness
        .dataSource('delivery')
        .query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return waiting.length === 2;
    });
    await holder.commitTransaction();
    await elsewhere.destroy();
    await both;
    await delivery().start_send(one, as(100));
    expect(await used(as)).toBe(2400);
  });

  it('counts what goes out while a quota that was looked at in the month is lifted', async () => {
    const { as } = newTenant();
    await delivery().start_send(send(newId('send')), as(5000));
    await delivery().start_send(send(newId('send')), as(null));
    expect(await used(as)).toBe(2400);
  });

  it('returns the share of skipped recipients once, also if some are retried', async () => {
    const { as, organizationId } = newTenant();
    const { sendId } = send(newId('send'));
    await delivery().start_send({ ...send(sendId), pages: 1 }, as(5000));
    const data = harness.dataSource('delivery');
    const ids = [uuidOf('org', organizationId), uuidOf('send', sendId)];
    const end = async (skipped: object) => {
      const done = `update send_page set state = 'DONE', deferred = 0, skipped = $3 where organization_id = $1 and send_id = $2`;
      await data.query(done, [...ids, JSON.stringify(skipped)]);
      await finishSends({ contexts: new CallContexts('delivery', data, () => undefined) });
    };
    await data.query(
      `insert into message (organization_id, send_id, message_id, period, kind, page_no, subscriber_id, email, subject, state, skip_reason)
       select $1, $2, $3, period, 'CAMPAIGN', 0, $4, 'a@people.internal', 'Hi', 'SKIPPED', 'RENDER_FAILED' from send where send_id = $2`,
      [...ids, newUuid(), newUuid()],
    );
    await end({ RENDER_FAILED: 1, PENDING_CONFIRMATION: 400 });
    expect(await used(as)).toBe(799);
    expect(await harness.client(recipientRequests).retry_send({ sendId, inDoubt: false }, as(5000))).toMatchObject({
      retried: 1,
    });
    await end({ PENDING_CONFIRMATION: 400 });
    expect(await used(as)).toBe(800);
  });

  it('counts a workflow’s emails in the quota once each, and not before they can be queued', async () => {
    const bound = (mailsPerMonth: number) =>
      harness.caller({
        organizationId: tenant.organizationId,
        bounds: { plan: 'FREE', quotas: { contacts: null, mailsPerMonth, domains: null } },
      });
    const person = (n: number) => ({ sourceKey: `run ${n}`, subscriberId: newId('sub'), email: `w${n}@example.com` });
    const { campaignId, campaignName, template, replyTo, organizationName } = send('');
    const mail = { campaignId, campaignName, template, sender, replyTo, organizationName };
    const caller = { organizationId: newId('org') };
    const messages = [person(1), person(2)];
    const asked = { sendKey: randomUUID(), subject: 'Hello', messages, mail: null };
    const as = (limit: number) => ({ ...bound(limit), ...caller });
    expect(await queue().queue_workflow_messages(asked, as(2))).toEqual({ accepted: false });
    expect(await queue().queue_workflow_messages({ ...asked, mail }, as(2))).toEqual({ accepted: true });
    expect(await queue().queue_workflow_messages(asked, as(2))).toEqual({ accepted: true });
    const more = { ...asked, messages: [...messages, person(3)] };
    await expect(queue().queue_workflow_messages(more, as(2))).rejects.toMatchObject({
      failure: { code: 'PLAN_LIMIT_REACHED' },
    });
    expect(await queue().queue_workflow_messages(more, as(3))).toEqual({ accepted: true });
    expect(await queue().queue_workflow_messages(more, as(1))).toEqual({ accepted: true });
  });
});
