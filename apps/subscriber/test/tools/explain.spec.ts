import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deliveryRequests, domainRequests, subscriberRequests } from '#contracts';
import type { Filter } from '#contracts';
import { messageIdAt, newId, newSendUuid, uuidOf, wireId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';

interface Explanation {
  verdict: string;
  headline: string;
  checks: { rule: string; passed: boolean | null; certainty: string; actual: string; source: string }[];
  nextPossibleAt: string | null;
  actions: { tool: string; arguments: object }[];
  unknown: string[];
}

const tagged = (...tagNames: string[]) => ({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames });
const city = (value: string) => ({ type: 'FIELD', fieldName: 'city', operator: 'EQUALS', value });

describe('explain', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    harness = await Harness.start();
    const operator = harness.caller({ organizationId: '' });
    const organization = async (name: string) => ({
      organizationId: (await harness.client(domainRequests).create_organization({ name }, operator)).organization.id,
    });
    [tenant, otherTenant] = [await organization('Ours'), await organization('Theirs')];
    await harness.data('create_custom_field', { name: 'city' }, tenant);
    await harness.data('get_or_create_tags', { names: ['vip', 'lead', 'late'] }, tenant);
    await add('ada', { tags: ['vip'], fields: { city: 'London' } });
    await add('bob', { tags: ['vip', 'lead'], fields: { city: 'Paris' } });
    await add('eve', { tags: ['vip'] });
    await harness.data('unsubscribe', { subscriberId: ids.eve }, tenant);
    await add('kim', { tags: ['vip'] });
    await subscriber(
      `update subscriber set hard_bounced_at = clock_timestamp(), status = 'BOUNCED' where email_key = 'kim@example.com'`,
    );
    await add('max', {});
  });
  afterAll(() => harness.stop());

  const add = async (name: string, more: object) => {
    const input = { email: `${name}@example.com`, ...more };
    ids[name] = (await harness.data<{ subscriber: { id: string } }>('add_subscriber', input, tenant)).subscriber.id;
  };
  const subscriber = (text: string, ...values: unknown[]) => harness.dataSource('subscriber').query(text, values);
  const explain = (name: string, target: object) =>
    harness.data<Explanation>('explain', { subscriberId: ids[name], ...target }, tenant);
  const refusal = (input: object, of = tenant) => harness.refusal('explain', input, of);
  const segment = async (filters: object[]) =>
    (await harness.data<{ segmentId: string }>('create_segment', { name: newId('seg'), filters }, tenant)).segmentId;
  const campaign = async (filters: object[], name = 'May news') => {
    const content = 'Hello\n\n[Leave]({{unsubscribeUrl}})';
    const draft = { name, subject: 'Hello', contentType: 'MARKDOWN', content };
    const { campaignId } = await harness.data<{ campaignId: string }>('create_campaign', draft, tenant);
    await harness.data('update_campaign_filters', { campaignId, filters }, tenant);
    return campaignId;
  };
  /** Freezes the audience of a campaign and hands its send to the delivery service, as the campaign service does. */
  const start = async (campaignId: string) => {
    const caller = harness.caller(tenant);
    const [audienceId, sendId] = [newId('aud'), wireId('send', newSendUuid())];
    const { recipientFilters: filters } = await harness.data<{ recipientFilters: Filter[] }>(
      'get_campaign',
      { campaignId },
      tenant,
    );
    const request = { audienceId, purpose: 'SEND' as const, filters };
    const { total, pages } = await harness.client(subscriberRequests).freeze_audience(request, caller);
    // By the clock that the history is written with.
    const startedAt = new Date(Date.now());
    const { sender } = await harness.client(domainRequests).get_sender({ senderId: null }, caller);
    const mail = { campaignName: 'May news', template: {}, sender: sender!, replyTo: null, organizationName: 'Ours' };
    const send = { sendId, campaignId, audienceId, total, pages, ...mail, tracking: { opens: true, clicks: true } };
    await harness.client(deliveryRequests).start_send(send, caller);
    await harness.dataSource('campaign').query(
      `update campaign set status = 'SENDING', send_id = $2, audience_id = $3, started_at = $4, handed_over_at = clock_timestamp()
       where campaign_id = $1`,
      [uuidOf('cmp', campaignId), uuidOf('send', sendId), uuidOf('aud', audienceId), startedAt],
    );
    return { campaignId, sendId, audienceId };
  };
  /** Stores the message of a send to a subscriber. @returns its id */
  const message = async (sendId: string, name: string, state: string, more: Record<string, unknown> = {}) => {
    const id = newId('msg');
    await harness.dataSource('delivery').query(
      `insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state,
         skip_reason, code, enhanced_code, response, attempts, due_at)
       select organization_id, $2, period, 'CAMPAIGN', send_id, 0, $3, $4, 'Hello', $5, $6, $7, $8, $9, 1, $10 from send where send_id = $1`,
      [
        ...[uuidOf('send', sendId), uuidOf('msg', id), uuidOf('sub', ids[name]), `${name}@example.com`, state],
        ...[more.skip, more.code, more.enhanced, more.response, more.due],
      ],
    );
    return id;
  };
  const failed = ({ checks }: Explanation) => checks.find(({ passed }) => !passed);

  describe('a segment', () => {
    it('is IN when every filter matches, and OUT with the first that does not', async () => {
      const segmentId = await segment([tagged('vip'), city('London')]);
      expect(await explain('ada', { segmentId })).toMatchObject({
        verdict: 'IN',
        checks: [
          { rule: 'filter', passed: true, certainty: 'NOW' },
          { rule: 'filter', passed: true, certainty: 'NOW' },
        ],
      });
      const out = await explain('bob', { segmentId });
      expect(out.verdict).toBe('OUT');
      expect(out.headline).toMatch(/FIELD EQUALS does not match/);
    });

    it('agrees with the list of subscribers for any filters', async () => {
      const lists = [
        [],
        [tagged('vip')],
        [{ ...tagged('vip', 'lead'), operator: 'BELONGS_TO_ALL' }],
        [{ ...tagged('lead'), operator: 'BELONGS_TO_NONE' }],
        [city('Paris')],
        [{ ...city('Paris'), operator: 'NOT_EQUALS' }],
        [{ type: 'STRING', field: 'email', operator: 'CONTAINS', value: 'a' }],
        [{ type: 'NUMBER', field: 'emailCount', operator: 'EQUALS', value: 0 }],
        [{ type: 'EVENT', field: 'UNSUBSCRIBED', operator: 'HAPPENED' }],
        [{ type: 'EVENT', field: 'TAG_ADDED', operator: 'HAPPENED', minCount: 2 }],
        [{ type: 'SYSTEM', field: 'system', operator: 'NEVER_EMAILED' }],
        [{ type: 'DATE', field: 'createdAt', operator: 'IN_LAST', amount: 1, unit: 'DAYS' }],
        [{ type: 'GROUP', match: 'ANY', filters: [city('London'), tagged('lead')] }],
        [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId: await segment([tagged('vip')]) }, city('Paris')],
      ];
      for (const filters of lists) {
        const segmentId = await segment(filters);
        const { subscribers } = await harness.data<{ subscribers: { id: string }[] }>(
          'query_subscribers',
          { filters },
          tenant,
        );
        const listed = new Set(subscribers.map(({ id }) => id));
        for (const [name, id] of Object.entries(ids)) {
          const { verdict } = await explain(name, { segmentId });
          expect({ filters, name, verdict }).toEqual({ filters, name, verdict: listed.has(id) ? 'IN' : 'OUT' });
        }
      }
    });
  });

  describe('a campaign before its send', () => {
    it('is NOT_STARTED as a draft, and WILL_RECEIVE once it is scheduled', async () => {
      const campaignId = await campaign([tagged('vip')]);
      expect((await explain('ada', { campaignId })).verdict).toBe('NOT_STARTED');
      await harness.data('schedule_campaign', { campaignId, date: '2037-05-01', timezone: 'UTC' }, tenant);
      expect(await explain('ada', { campaignId })).toMatchObject({
        verdict: 'WILL_RECEIVE',
        nextPossibleAt: '2037-05-01T00:00:00.000Z',
      });
    });

    it('is WAITING with the reason while it is held', async () => {
      const campaignId = await campaign([tagged('vip')]);
      await harness.data('schedule_campaign', { campaignId, date: '2037-05-01', timezone: 'UTC' }, tenant);
      await harness
        .dataSource('campaign')
        .query(
          `update campaign set held_at = clock_timestamp(), waiting_for = 'CHANGED_SINCE_APPROVED' where campaign_id = $1`,
          [uuidOf('cmp', campaignId)],
        );
      const held = await explain('ada', { campaignId });
      expect(held).toMatchObject({ verdict: 'WAITING', nextPossibleAt: null });
      expect(held.headline).toContain('CHANGED_SINCE_APPROVED');
      expect((await explain('max', { campaignId })).verdict).toBe('NOT_IN_AUDIENCE');
    });

    it('leaves out by status and by suppression, with what may be done, and by filter', async () => {
      const campaignId = await campaign([tagged('vip')]);
      const eve = await explain('eve', { campaignId });
      expect(eve).toMatchObject({
        verdict: 'LEFT_OUT',
        actions: [{ tool: 'reactivate_subscriber', arguments: { subscriberId: ids.eve } }],
      });
      expect(failed(eve)).toMatchObject({ rule: 'status', actual: 'UNSUBSCRIBED' });
      expect((await explain('kim', { campaignId })).checks).toEqual(
        expect.arrayContaining([expect.objectContaining({ rule: 'suppression', actual: 'BOUNCED', passed: false })]),
      );
      const max = await explain('max', { campaignId });
      expect(max.verdict).toBe('NOT_IN_AUDIENCE');
      expect(failed(max)).toMatchObject({ rule: 'filter', source: 'subscriber' });
    });

    it('names a filter whose tag was deleted', async () => {
      await harness.data('create_tag', { name: 'short' }, tenant);
      const campaignId = await campaign([tagged('short')]);
      await subscriber(`update tag set deleted_at = clock_timestamp() where name = 'short'`);
      expect(failed(await explain('ada', { campaignId }))).toMatchObject({
        passed: null,
        actual: expect.stringContaining('no longer exists'),
      });
    });
  });

  describe('a campaign after its start', () => {
    it.each([
      ['QUEUED', {}, 'WAITING'],
      ['DEFERRED', { code: 451, response: '451 Later', due: '2037-01-01T00:00:00Z' }, 'WAITING'],
      ['SENT', { code: 250, response: '250 OK' }, 'SENT'],
      ['DELIVERED', { code: 250, response: '250 OK' }, 'RECEIVED'],
      ['COMPLAINED', { response: 'spam' }, 'RECEIVED'],
      ['BOUNCED', { response: '550 5.1.1 No such user' }, 'REFUSED'],
      ['FAILED', { code: 550, enhanced: '5.1.1', response: '550 5.1.1 No such user' }, 'REFUSED'],
      ['IN_DOUBT', {}, 'IN_DOUBT'],
      ['SKIPPED', { skip: 'UNSUBSCRIBED' }, 'LEFT_OUT'],
      ['SKIPPED', { skip: 'STOPPED' }, 'LEFT_OUT'],
      ['SKIPPED', { skip: 'RENDER_FAILED' }, 'LEFT_OUT'],
      ['SKIPPED', { skip: 'INVALID_ADDRESS' }, 'LEFT_OUT'],
    ])('a message %s %j is %s', async (state, more: Record<string, unknown>, verdict) => {
      const { campaignId, sendId } = await start(await campaign([tagged('vip')]));
      await message(sendId, 'ada', state, more);
      const found = await explain('ada', { campaignId });
      expect(found.verdict).toBe(verdict);
      expect(found.checks[0]).toMatchObject({ rule: 'audience', passed: true });
      if (more.response) expect(found.checks.at(-1)).toMatchObject({ rule: 'reply', actual: more.response });
      if (more.skip) expect(found.headline).toContain(more.skip);
      if (more.due) expect(found.nextPossibleAt).toBe('2037-01-01T00:00:00.000Z');
    });

    it('waits in the audience until the turn comes, with the reason of a pause', async () => {
      const { campaignId, sendId } = await start(await campaign([tagged('vip')]));
      expect(await explain('ada', { campaignId })).toMatchObject({ verdict: 'WAITING', unknown: [] });
      const pausing = { sendId, state: 'PAUSED' as const, reason: 'Paused by request.' };
      await harness.client(deliveryRequests).set_send_state(pausing, harness.caller(tenant));
      expect((await explain('ada', { campaignId })).headline).toContain('Paused by request.');
    });

    it('shows by the history why a subscriber was not in the audience then', async () => {
      await add('new', { tags: [], fields: { city: 'London' } });
      const { campaignId } = await start(await campaign([tagged('late'), city('London')]));
      await harness.data('update_subscriber', { subscriber: ids.new, fields: { city: 'Rome' } }, tenant);
      await harness.data('bulk_add_tags', { subscriberIds: [ids.new], tagNames: ['late'] }, tenant);
      const found = await explain('new', { campaignId });
      expect(found.verdict).toBe('NOT_IN_AUDIENCE');
      expect(found.checks.filter(({ rule }) => rule === 'filter')).toMatchObject([
        { passed: false, certainty: 'REWOUND' },
        { passed: true, certainty: 'REWOUND' },
      ]);
      await add('later', { tags: ['late'], fields: { city: 'London' } });
      expect(failed(await explain('later', { campaignId }))).toMatchObject({ rule: 'existed', certainty: 'RECORDED' });
    });

    it('knows who had left at the start and came back since', async () => {
      await add('back', { tags: ['vip'] });
      await harness.data('unsubscribe', { subscriberId: ids.back }, tenant);
      const { campaignId } = await start(await campaign([tagged('vip')]));
      await harness.data('reactivate_subscriber', { subscriberId: ids.back }, tenant);
      const found = await explain('back', { campaignId });
      expect(found.verdict).toBe('LEFT_OUT');
      expect(failed(found)).toMatchObject({ rule: 'status', actual: 'UNSUBSCRIBED', certainty: 'REWOUND' });
    });

    it('names the delivery service as unknown while it does not answer', async () => {
      const { campaignId } = await start(await campaign([tagged('vip')]));
      const found = await harness.bus.without('delivery', () => explain('ada', { campaignId }));
      expect(found).toMatchObject({ verdict: 'WAITING', unknown: ['delivery'] });
    });
  });

  it('refuses unknown workflows: WORKFLOW_NOT_FOUND', async () => {
    expect(await refusal({ workflowId: newId('wf'), subscriberId: ids.ada })).toBe('WORKFLOW_NOT_FOUND');
  });

  it('explains a message by its id alone, and not as another subscriber’s', async () => {
    const { sendId } = await start(await campaign([tagged('vip')]));
    const messageId = await message(sendId, 'ada', 'DELIVERED', { response: '250 OK' });
    expect(await harness.data('explain', { messageId }, tenant)).toMatchObject({
      subscriberId: ids.ada,
      verdict: 'RECEIVED',
    });
    expect((await explain('ada', { messageId })).verdict).toBe('RECEIVED');
    expect(await refusal({ messageId, subscriberId: ids.bob })).toBe('MESSAGE_NOT_FOUND');
    expect(await refusal({ messageId }, otherTenant)).toBe('MESSAGE_NOT_FOUND');
    expect(await refusal({ messageId: newId('msg') })).toBe('MESSAGE_NOT_FOUND');
  });

  it('answers MESSAGE_IN_PROGRESS between the attempt mark of a message and its outcome', async () => {
    const { sendId } = await start(await campaign([tagged('vip')]));
    const send = uuidOf('send', sendId)!;
    await harness.dataSource('delivery').query(
      `insert into send_attempt (organization_id, send_id, chunk_no, fence, relay_id, step, attempted)
       values ($1, $2, 0, 1, 1, 1, set_bit(repeat('0', 512)::bit(512), 0, 1))`,
      [uuidOf('org', tenant.organizationId), send],
    );
    const at = (position: number) => wireId('msg', messageIdAt(send, 0, position));
    expect(await refusal({ messageId: at(0) })).toBe('MESSAGE_IN_PROGRESS');
    expect(await refusal({ messageId: at(0) }, otherTenant)).toBe('MESSAGE_NOT_FOUND');
    expect(await refusal({ messageId: at(1) })).toBe('MESSAGE_NOT_FOUND');
  });

  it('answers it for a campaign too, and explains by the message once that is recorded', async () => {
    const { campaignId, sendId, audienceId } = await start(await campaign([]));
    const send = uuidOf('send', sendId)!;
    const { recipients } = await harness
      .client(subscriberRequests)
      .get_audience_page({ audienceId, pageNumber: 0, showIf: [] }, harness.caller(tenant));
    const place = recipients.findIndex(({ subscriberId }) => subscriberId === ids.ada);
    const waits = { verdict: 'WAITING', headline: expect.stringContaining('their turn has not come') };
    expect(await explain('ada', { campaignId })).toMatchObject(waits);
    const delivery = harness.dataSource('delivery');
    await delivery.query(`update send set layout = 1 where send_id = $1`, [send]);
    await delivery.query(
      `insert into send_attempt (organization_id, send_id, chunk_no, fence, relay_id, step, attempted)
       values ($1, $2, 0, 1, 1, 1, set_bit(repeat('0', 512)::bit(512), $3, 1))`,
      [uuidOf('org', tenant.organizationId), send, place],
    );
    expect(await refusal({ subscriberId: ids.ada, campaignId })).toBe('MESSAGE_IN_PROGRESS');
    // Another position of the same chunk has no mark.
    expect(await explain('bob', { campaignId })).toMatchObject(waits);
    await delivery.query(
      `insert into campaign_message (message_id, attempted_at, organization_id, subscriber_id, relay_id, code, attempts, state, kind, email, response)
       values ($1, now(), $2, $3, 1, 250, 1, 'D', 'C', 'ada@example.com', '2.0.0 Ok')`,
      [messageIdAt(send, 0, place), uuidOf('org', tenant.organizationId), uuidOf('sub', ids.ada)],
    );
    expect(await explain('ada', { campaignId })).toMatchObject({ verdict: 'RECEIVED' });
  });

  it('refuses none or several targets with EXPLAIN_TARGET', async () => {
    expect(await refusal({ subscriberId: ids.ada })).toBe('EXPLAIN_TARGET');
    expect(await refusal({ subscriberId: ids.ada, campaignId: newId('cmp'), segmentId: newId('seg') })).toBe(
      'EXPLAIN_TARGET',
    );
  });

  it('refuses subscribers that it cannot identify', async () => {
    const segmentId = await segment([]);
    expect(await refusal({ segmentId })).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ segmentId, subscriberId: ids.ada, email: 'bob@example.com' })).toBe('IDENTIFIERS_DISAGREE');
    expect(await refusal({ segmentId, subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
  });

  it('answers for another organization’s records as for unknown ones', async () => {
    const [segmentId, campaignId] = [await segment([]), await campaign([])];
    const { subscriber: theirs } = await harness.data<{ subscriber: { id: string } }>(
      'add_subscriber',
      { email: 'ada@example.com' },
      otherTenant,
    );
    expect(await refusal({ segmentId, subscriberId: ids.ada }, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
    expect(await refusal({ segmentId, subscriberId: theirs.id }, otherTenant)).toBe('SEGMENT_NOT_FOUND');
    expect(await refusal({ campaignId, subscriberId: theirs.id }, otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp'), subscriberId: ids.ada })).toBe('CAMPAIGN_NOT_FOUND');
  });
});
