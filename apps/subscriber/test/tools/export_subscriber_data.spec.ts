import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openExportsMax } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { exportWorker, fileOf } from '../exports.js';
import { organization, person } from '../subscriber-fixture.js';

type Json = Record<string, unknown>;

describe('export_subscriber_data', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());
  /** Publishes a workflow whose runs wait for a day. @returns its id */
  async function publishWorkflow(): Promise<string> {
    const { workflow } = await harness.data<{ workflow: { id: string; updatedAt: string } }>(
      'create_workflow',
      { name: 'Welcome' },
      tenant,
    );
    const steps = [
      { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
      { id: 'wait', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
    ];
    const edges = [{ source: 'start', target: 'wait' }];
    const draft = { workflowId: workflow.id, expectedUpdatedAt: workflow.updatedAt, steps, edges };
    await harness.data('configure_workflow_draft', draft, tenant);
    await harness.data('publish_workflow', { workflowId: workflow.id }, tenant);
    return workflow.id;
  }
  const start = async (who: object) =>
    (await harness.data<{ exportId: string }>('export_subscriber_data', who, tenant)).exportId;

  it('writes one JSON document with the data of every service, and of no other subscriber', async () => {
    const email = 'subject@example.com';
    const { id } = await person(harness, tenant, { email, name: 'Subject', country: 'FR', fields: { city: 'Paris' } });
    await person(harness, tenant, { email: 'bystander@example.com' });
    const workflowId = await publishWorkflow();
    await harness.data('add_subscriber_to_workflow', { workflowId, email }, tenant);
    const { senders } = await harness.data<{ senders: { email: string }[] }>('get_email_senders', {}, tenant);
    const receipt = { from: senders[0]!.email, to: email, subject: 'Your receipt', html: '<p>Thanks</p>' };
    await harness.data('send_email', receipt, tenant);
    const exportId = await start({ email });
    expect(await harness.data('get_subscriber_export', { exportId }, tenant)).toMatchObject({ status: 'QUEUED' });
    await exportWorker(harness).writeNext();
    expect(await harness.data('get_subscriber_export', { exportId }, tenant)).toMatchObject({
      status: 'DONE',
      rows: 1,
      progress: 1,
      downloadUrl: expect.any(String),
    });
    const text = (await fileOf(harness, tenant, exportId))!;
    expect(text).not.toContain('bystander');
    const data = JSON.parse(text) as { subscriber: Json; history: Json[]; messages: Json[]; workflowRuns: Json[] };
    expect(Object.keys(data)).toEqual(['subscriber', 'history', 'campaigns', 'messages', 'workflowRuns']);
    expect(data.subscriber).toMatchObject({ id, email, country: 'FR', customFields: { city: 'Paris' } });
    expect(data.history.map(({ type }) => type)).toContain('SUBSCRIBED');
    expect(data.messages).toMatchObject([{ id: expect.stringMatching(/^msg_/), subject: 'Your receipt', email }]);
    expect(data.workflowRuns).toMatchObject([{ workflowId, id: expect.stringMatching(/^run_/) }]);
  });

  it('reads histories longer than one page', async () => {
    const { id } = await person(harness, tenant, { email: 'busy@example.com' });
    await harness.dataSource('subscriber').query(
      `insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, data)
       select now() - n * interval '1 ms', s.organization_id, gen_random_uuid(), s.subscriber_id, 'NOTE', jsonb_build_object('n', n)
       from subscriber s, generate_series(1, 1200) n where s.email = 'busy@example.com'`,
    );
    const exportId = await start({ subscriberId: id });
    await exportWorker(harness).writeNext();
    const { history } = JSON.parse((await fileOf(harness, tenant, exportId))!) as { history: { data: Json }[] };
    expect(new Set(history.map(({ data }) => data.n)).size).toBeGreaterThanOrEqual(1200);
  });

  it('fails for a subscriber who was deleted before the file was written', async () => {
    const { id } = await person(harness, tenant, { email: 'late@example.com' });
    const exportId = await start({ subscriberId: id });
    await harness.data('delete_subscriber', { subscriberId: id }, tenant);
    await exportWorker(harness).writeNext();
    expect(await harness.data('get_subscriber_export', { exportId }, tenant)).toMatchObject({ status: 'FAILED' });
  });

  it('refuses no identifier, two that disagree, and subscribers of another organization', async () => {
    const one = await person(harness, tenant, { email: 'one@example.com' });
    const two = await person(harness, tenant, { email: 'two@example.com' });
    const refusal = (who: object, by = tenant) => harness.refusal('export_subscriber_data', who, by);
    expect(await refusal({})).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ subscriberId: one.id, email: two.email })).toBe('IDENTIFIERS_DISAGREE');
    expect(await refusal({ subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
    for (const who of [{ subscriberId: one.id }, { email: one.email }])
      expect(await refusal(who, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
  });

  it('refuses an export above the limit of open ones with LIMIT_REACHED', async () => {
    await person(harness, otherTenant, { email: 'ada@example.com' });
    const who = { email: 'ada@example.com' };
    for (let n = 0; n < openExportsMax; n++) await harness.data('export_subscriber_data', who, otherTenant);
    expect(await harness.refusal('export_subscriber_data', who, otherTenant)).toBe('LIMIT_REACHED');
  });
});
