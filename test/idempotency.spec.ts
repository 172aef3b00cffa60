import { describe, expect, it, jest } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { CallContexts, ExecutedCallRepository, executeIdempotent, executeIdempotentWithIo } from '#service-host';
import { requestHash, ToolError } from '#tool-call';
import type { Outcome } from '#tool-call';
import { Harness } from './harness/harness.js';
import { useFixture } from './harness/use-fixture.js';

describe('a call with a call id', () => {
  const tenant = { organizationId: newId('org') };
  const harness = useFixture(() => Harness.start());

  it('has its effect once when 50 arrive at the same time, and all get the same answer', async () => {
    const calls = Array.from({ length: 50 }, () =>
      harness.call('create_tag', { name: 'parallel' }, tenant, { callId: 'key:50' }),
    );
    const outcomes = await Promise.all(calls);
    const answers = new Set(outcomes.map((outcome) => JSON.stringify(outcome.ok && outcome.data)));
    expect(answers.size).toBe(1);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('keeps a refusal too', async () => {
    await harness.data('create_tag', { name: 'taken' }, tenant);
    const first = await harness.call('create_tag', { name: 'taken' }, tenant, { callId: 'key:refused' });
    const again = await harness.call('create_tag', { name: 'taken' }, tenant, { callId: 'key:refused' });
    expect(first).toMatchObject({ ok: false, error: { reason: 'TAG_NAME_TAKEN' } });
    expect(again).toEqual({ ...first, replayed: true });
  });

  it('does not keep a refusal that passes: what a quota refused is carried out when there is room', async () => {
    const own = { organizationId: newId('org') };
    const add = (contacts: number) => {
      const bounds = { plan: 'FREE' as const, quotas: { contacts, mailsPerMonth: null, domains: null } };
      const people = { subscribers: [{ email: 'ada@example.com' }] };
      return harness.call('import_subscribers', people, { ...own, bounds }, { callId: 'key:quota' });
    };
    expect(await add(0)).toMatchObject({ ok: false, error: { reason: 'QUOTA_REACHED' } });
    expect(await add(1)).toMatchObject({ ok: true, data: { imported: 1 } });
  });

  it('refuses the same id for another request, and leaves other organizations alone', async () => {
    await harness.data('create_tag', { name: 'mine' }, tenant);
    await harness.call('create_tag', { name: 'a' }, tenant, { callId: 'key:shared' });
    const other = await harness.call('create_tag', { name: 'b' }, tenant, { callId: 'key:shared' });
    expect(other).toMatchObject({ ok: false, error: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
    const foreign = await harness.call(
      'create_tag',
      { name: 'b' },
      { organizationId: newId('org') },
      { callId: 'key:shared' },
    );
    expect(foreign).toMatchObject({ ok: true });
  });

  it('refuses the same id for the same part of another request, unless it is not known of which it was one', async () => {
    const part = (callId: string, wholeHash?: string) =>
      harness.call('get_or_create_tags', { names: [callId] }, tenant, { callId, wholeHash });
    await part('key:part', 'one');
    expect(await part('key:part', 'one')).toMatchObject({ ok: true, replayed: true });
    expect(await part('key:part', 'another')).toMatchObject({ ok: false, error: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
    // Processes of a version before neither say it nor note it.
    expect(await part('key:part')).toMatchObject({ ok: true, replayed: true });
    await part('key:unsaid');
    expect(await part('key:unsaid', 'one')).toMatchObject({ ok: true, replayed: true });
    const input = { campaignId: 'cmp_none', filters: [] };
    const own = (wholeHash: string) =>
      harness.call('update_campaign_filters', input, tenant, { callId: 'key:own', wholeHash });
    const first = await own('one');
    expect(first).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(await own('one')).toEqual({ ...first, replayed: true });
    expect(await own('another')).toMatchObject({ error: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('is forgotten then with all others of its time, however many', async () => {
    const database = harness.dataSource('subscriber');
    await database.query(
      `insert into executed_call (organization_id, call_id, request_hash, state, created_at)
       select gen_random_uuid(), 'key:' || n, '', 'DONE', now() - interval '25 hours' from generate_series(1, 12000) n`,
    );
    const calls = new ExecutedCallRepository(database.manager);
    while ((await calls.deleteExpired()) > 0);
    expect(await database.query(`select call_id from executed_call where request_hash = ''`)).toEqual([]);
  });

  it('is remembered for 24 hours, and forgotten then', async () => {
    const first = await harness.call('create_tag', { name: 'old' }, tenant, { callId: 'key:old' });
    const age = async (hours: number) =>
      await harness
        .dataSource('subscriber')
        .query(
          `update executed_call set created_at = created_at - make_interval(hours => $1) where call_id = 'key:old'`,
          [hours],
        );
    await age(23);
    const again = await harness.call('create_tag', { name: 'old' }, tenant, { callId: 'key:old' });
    expect(again).toEqual({ ...first, replayed: true });
    await age(2);
    expect(await harness.call('create_tag', { name: 'new' }, tenant, { callId: 'key:old' })).toMatchObject({
      ok: true,
    });
  });

  it('of a tool that asks other services is not done again when its process ended before the answer was kept', async () => {
    const founder = harness.bus.client(domainRequests);
    const { organization } = await founder.create_organization({ name: 'Once' }, harness.caller(tenant));
    const own = { organizationId: organization.id };
    const campaigns = harness.dataSource('campaign');
    const create = () =>
      harness.call('create_campaign', { name: 'Once', subject: 'Once' }, own, { callId: 'key:lost' });
    const { upsert } = ExecutedCallRepository.prototype;
    const ending = jest.spyOn(ExecutedCallRepository.prototype, 'upsert').mockImplementation(async function (
      this: ExecutedCallRepository,
      ...[key, state, answer]
    ) {
      if (state === 'DONE') throw new Error('the process ends here');
      await upsert.call(this, key, state, answer);
    });
    expect(await create()).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    ending.mockRestore();

    await campaigns.query(
      `update executed_call set created_at = created_at - interval '61 seconds' where call_id = 'key:lost'`,
    );
    expect(await create()).toMatchObject({ ok: false, error: { code: 'CONFLICT', reason: 'ANSWER_LOST' } });
    expect(await harness.data('list_campaigns', {}, own)).toMatchObject({ total: 1 });
  });

  it('of such a tool is answered when its process ended after the transaction that held the answer', async () => {
    const call = (run: Parameters<typeof executeIdempotentWithIo>[0]['run']) =>
      executeIdempotentWithIo({
        key: { ...tenant, callId: 'key:concluded', requestHash: requestHash('send_email', {}) },
        deadline: Date.now() + 10_000,
        contexts: new CallContexts('subscriber', harness.dataSource('subscriber'), () => undefined),
        run,
      });
    const ending = call(async (context) => {
      await context.conclude(() => Promise.resolve({ id: 'msg_1' }));
      throw new Error('the process ends here');
    });
    await expect(ending).rejects.toThrow('the process ends here');
    const again = await call(() => Promise.reject(new Error('it is done again')));
    expect(again).toEqual({ ok: true, data: { id: 'msg_1' }, replayed: true });
  });

  it('that is refused while its twin succeeds answers what the twin did', async () => {
    const key = { ...tenant, callId: 'key:twins', requestHash: requestHash('create_tag', { name: 'twins' }) };
    const success: Outcome = { ok: true, data: { tag: 'the twin’s' } };
    const elsewhere = new ExecutedCallRepository(harness.dataSource('subscriber').manager);
    const outcome = await executeIdempotent({
      key,
      deadline: Date.now() + 10_000,
      contexts: new CallContexts('subscriber', harness.dataSource('subscriber'), () => undefined),
      run: async () => {
        await elsewhere.upsert(key, 'DONE', success);
        const { code, reason, message } = new ToolError('TAG_NAME_TAKEN', { name: 'twins', tagId: 'tag_1' });
        return { ok: false, error: { code, reason, message } };
      },
    });
    expect(outcome).toEqual({ ...success, replayed: true });
  });

  it('that was carried out is answered, not described again', async () => {
    const asked = { campaignId: 'cmp_any', timezone: 'Europe/Paris' };
    const answer: Outcome = { ok: true, data: { scheduled: true } };
    await new ExecutedCallRepository(harness.dataSource('campaign').manager).upsert(
      { ...tenant, callId: 'key:confirmed', requestHash: requestHash('schedule_campaign', asked) },
      'DONE',
      answer,
    );
    const describe = (campaignId: string) =>
      harness.bus.request(
        'describe',
        { service: 'campaign', name: 'schedule_campaign' },
        { campaignId },
        harness.caller(tenant, { callId: 'key:confirmed' }),
      );
    expect(await describe('cmp_any')).toEqual({ ...answer, replayed: true });
    expect(await describe('cmp_other')).toMatchObject({ ok: false, error: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
  });
});
