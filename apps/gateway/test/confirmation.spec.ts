import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusServer } from '#bus';
import { ToolError } from '#tool-call';
import type { Caller, Outcome } from '#tool-call';
import { FakeDomainService, freshNamespace, fakeService, TestGateway, Whole } from './fake-services.js';
import type { FakeReply } from './fake-services.js';

const namespace = freshNamespace();
const domain = new FakeDomainService();
const token = domain.token('ada');
const other = domain.token('other', { organizationId: 'org_ada' });
const bound = domain.token('bound', { selfConfirm: false });
/** Results by call id, as the owning service stores them. */
const executed = new Map<string, { campaignId: string; outcome: Outcome }>();
let scheduled: Caller[] = [];
let services: BusServer;
let gateway: TestGateway;
let campaigns = 0;
/** Each case asks for a campaign of its own, so that no code of another is open. */
let campaignId: string;

function schedule(input: { campaignId?: string }, caller: Caller): Whole {
  const known = executed.get(caller.callId!);
  if (known && known.campaignId !== input.campaignId) {
    throw new ToolError('IDEMPOTENCY_KEY_REUSED', { key: caller.callId!.slice(4) });
  }
  if (known) return new Whole({ ...known.outcome, replayed: true });
  scheduled.push(caller);
  const outcome: Outcome = { ok: true, data: { scheduled: scheduled.length } };
  executed.set(caller.callId!, { campaignId: input.campaignId!, outcome });
  return new Whole(outcome);
}

beforeAll(async () => {
  services = await fakeService(namespace, {
    ...domain.answers(),
    'tools.campaign.schedule_campaign': schedule,
    'describe.campaign.schedule_campaign': (input, caller) => {
      if (executed.has(caller.callId ?? '')) return schedule(input, caller);
      if (input.campaignId === 'cmp_gone') throw new ToolError('CAMPAIGN_NOT_FOUND', { id: 'cmp_gone' });
      return { action: 'Send the campaign', message: `Sends ${input.campaignId} now to 12,408 subscribers.` };
    },
    'tools.workflow.update_workflow_status': ({ status }) => ({ set: status as string }),
    'describe.workflow.update_workflow_status': ({ status }) => ({ action: 'Change', message: `It is ${status}.` }),
  });
  gateway = await TestGateway.start(namespace);
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
});
beforeEach(() => {
  campaignId = `cmp_${++campaigns}`;
  scheduled = [];
});

const call = (more: object = {}, headers: Record<string, string> = {}, by = token): Promise<FakeReply> =>
  gateway.call(by, 'schedule_campaign', { campaignId, ...more }, headers);
const askedCode = async (): Promise<number> => (await call()).body.confirmationCode as number;
const wrong = (code: number): number => (code === 99_999 ? 10_000 : code + 1);

it('a workflow is paused unasked, since stopping must be quick, and asked about otherwise', async () => {
  const set = async (status: string, by: string, more: object = {}) => {
    const answer = await gateway.call(by, 'update_workflow_status', { workflowId: 'wf_1', status, ...more });
    return answer.body.data ?? answer.body.error;
  };
  for (const by of [token, bound]) {
    expect(await set('paused', by)).toEqual({ set: 'PAUSED' });
    expect(await set('PAUSED', by, { confirmationCode: 12_345 })).toEqual({ set: 'PAUSED' });
    for (const status of ['ACTIVE', 'ARCHIVED']) expect(await set(status, by)).toBe('CONFIRMATION_REQUIRED');
  }
});

describe('a tool that asks for confirmation', () => {
  it('says what will happen, with a code that lives five minutes', async () => {
    const before = Date.now();
    const { status, body, headers } = await call();
    expect(status).toBe(403);
    expect(body).toEqual({
      success: false,
      error: 'CONFIRMATION_REQUIRED',
      code: 'CONFIRMATION_REQUIRED',
      message: `Sends ${campaignId} now to 12,408 subscribers.`,
      action: 'Send the campaign',
      confirmationCode: expect.any(Number),
      instruction: expect.stringContaining('repeat exactly this request'),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    });
    expect(body.confirmationCode).toBeGreaterThanOrEqual(10_000);
    expect(body.confirmationCode).toBeLessThanOrEqual(99_999);
    expect(Math.abs(Date.parse(body.expiresAt as string) - before - 300_000)).toBeLessThan(5_000);
    expect(headers.get('x-ratelimit-limit')).toBe('100000');
    expect(scheduled).toEqual([]);
  });

  it('executes once with the code, as a number or as text, and answers a repeat with the first result', async () => {
    const code = await askedCode();
    const first = await call({ confirmationCode: String(code) });
    expect(first).toMatchObject({ status: 200, body: { success: true, data: { scheduled: 1 } } });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await call({ confirmationCode: code });
    expect(again).toMatchObject({ status: 200, body: { data: { scheduled: 1 } } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(scheduled).toHaveLength(1);
  });

  it('does not mind the order of keys, nor a default said aloud', async () => {
    const code = await askedCode();
    const body = `{ "confirmationCode" : ${code}, "timezone": "Europe/Paris",\n "campaignId":"${campaignId}" }`;
    expect((await gateway.call(token, 'schedule_campaign', body)).status).toBe(200);
  });

  it('gives two racing confirmations one call id, so that the owner acts once', async () => {
    const code = await askedCode();
    const answers = await Promise.all(Array.from({ length: 8 }, () => call({ confirmationCode: code })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(scheduled).toHaveLength(1);
  });

  it('repeats the live code when asked again, or with a wrong one', async () => {
    const first = await call();
    const again = await call();
    expect(again.body).toMatchObject({
      confirmationCode: first.body.confirmationCode,
      expiresAt: first.body.expiresAt,
      instruction: expect.stringContaining('still open'),
    });
    const missed = await call({ confirmationCode: wrong(first.body.confirmationCode as number) });
    expect(missed).toMatchObject({
      status: 403,
      body: {
        confirmationCode: first.body.confirmationCode,
        expiresAt: first.body.expiresAt,
        instruction: expect.stringContaining('does not belong'),
      },
    });
  });

  it('voids the code at the third wrong try, and makes a new one when asked again', async () => {
    const code = await askedCode();
    const tries = [];
    for (let i = 0; i < 3; i++) tries.push(await call({ confirmationCode: wrong(code) }));
    expect(tries.map(({ body }) => body.confirmationCode)).toEqual([code, code, undefined]);
    expect(tries[2]!.body.instruction).toContain('void');
    expect((await call({ confirmationCode: code })).status).toBe(403);
    expect(scheduled).toEqual([]);
    const fresh = await askedCode();
    expect((await call({ confirmationCode: fresh })).status).toBe(200);
  });

  it('binds the code to the parameters, the tool and the token', async () => {
    const code = await askedCode();
    expect((await call({ confirmationCode: code, timezone: 'UTC' })).status).toBe(403);
    expect((await call({ confirmationCode: code }, {}, other)).status).toBe(403);
    campaignId = `cmp_${++campaigns}`;
    expect((await call({ confirmationCode: code })).status).toBe(403);
    expect(scheduled).toEqual([]);
  });

  it('refuses without a code what would be refused anyway', async () => {
    campaignId = 'cmp_gone';
    const { status, body } = await call();
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'NOT_FOUND', reason: 'CAMPAIGN_NOT_FOUND' });
    expect(body).not.toHaveProperty('confirmationCode');
  });

  it.each(['yes', '1234', '01234', -1, 123_456, 12_345.5])(
    'refuses what no code looks like and counts it as no try: %j',
    async (given) => {
      const code = await askedCode();
      for (let i = 0; i < 3; i++) {
        const { status, body } = await call({ confirmationCode: given });
        expect(status).toBe(400);
        expect(body.issues).toEqual([{ path: ['confirmationCode'], message: expect.any(String) }]);
      }
      expect((await call({ confirmationCode: String(code) })).status).toBe(200);
    },
  );

  it('asks a person in the place of a token that may not confirm by itself, and returns the outcome', async () => {
    const asked = await call({ confirmationCode: 12345 }, {}, bound);
    expect(asked).toMatchObject({
      status: 403,
      body: { error: 'CONFIRMATION_REQUIRED', approvalId: expect.any(String), action: 'Send the campaign' },
    });
    expect(asked.body).not.toHaveProperty('confirmationCode');
    expect(asked.body.instruction).toContain(`approvals approve ${asked.body.approvalId as string}`);
    expect((await call({}, {}, bound)).body.approvalId).toBe(asked.body.approvalId);
    const approval = [...domain.approvals.values()].at(-1)!;
    approval.state = 'REJECTED';
    expect((await call({}, {}, bound)).body).toMatchObject({ code: 'FORBIDDEN', reason: 'APPROVAL_REJECTED' });
    expect(scheduled).toHaveLength(0);
    approval.state = 'EXECUTED';
    domain.outcome = { ok: true, data: { scheduled: 7 } };
    const done = await call({}, {}, bound);
    expect(done.body.data).toEqual({ scheduled: 7 });
    expect(done.headers.get('idempotency-replayed')).toBe('true');
    domain.outcome = { ok: false, error: { code: 'NOT_FOUND', reason: 'CAMPAIGN_NOT_FOUND', message: 'Gone.' } };
    expect(await call({}, {}, bound)).toMatchObject({ status: 404, body: { reason: 'CAMPAIGN_NOT_FOUND' } });
    // Approving carries the call out; the gateway does not.
    expect(scheduled).toHaveLength(0);
    domain.outcome = null;
  });
});

describe('a confirmation with an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': `send ${campaignId}`.replace(' ', '-') });

  it('executes under the key, and answers the key again with or without a code', async () => {
    const { body } = await call({}, key());
    const confirmationCode = body.confirmationCode as number;
    expect((await call({ confirmationCode }, key())).status).toBe(200);
    expect(scheduled[0]!.callId).toBe(`key:send-${campaignId}`);
    for (const repeat of [{}, { confirmationCode }, { confirmationCode: wrong(confirmationCode) }]) {
      const again = await call(repeat, key());
      expect(again).toMatchObject({ status: 200, body: { data: { scheduled: 1 } } });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(scheduled).toHaveLength(1);
  });

  it('executes once when the code is repeated without the key, or under another', async () => {
    const code = await askedCode();
    await call({ confirmationCode: code }, key());
    await call({ confirmationCode: code });
    await call({ confirmationCode: code }, { 'idempotency-key': 'another' });
    expect(scheduled).toHaveLength(1);
  });

  it('refuses the key with another body at the first call (409)', async () => {
    const used = key();
    await call({ confirmationCode: await askedCode() }, used);
    campaignId = `cmp_${++campaigns}`;
    expect(await call({}, used)).toMatchObject({ status: 409, body: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
  });
});
