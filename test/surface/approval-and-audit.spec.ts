import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { cliFixture } from '../../apps/cli/test/cli-fixture.js';
import { ToolsClient } from '../e2e/client.js';
import { testMasterKey } from '../harness/service-plans.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

describe('what a person oversees', () => {
  let surface: ApiFixture;
  let tenant: ApiTenant;
  let type: ReturnType<typeof cliFixture>;
  beforeAll(async () => {
    surface = await ApiFixture.start();
    tenant = await surface.customer();
    type = cliFixture({
      NATS_URL: process.env.NATS_URL!,
      NATS_NAMESPACE: surface.namespace,
      MASTER_KEY: testMasterKey(),
      PORT: new URL(surface.url).port,
    });
  });
  afterAll(async () => {
    await surface.stop();
  });

  /** A client whose token may not confirm its own calls. */
  const bound = async () =>
    new ToolsClient(surface.url, await surface.token(tenant.organizationId, { selfConfirm: false }));

  it('approves a call that its token may not confirm, which is then carried out once', async () => {
    const agent = await bound();
    await agent.data('create_tag', { name: 'doomed' });
    const asked = await agent.call('delete_tag', { name: 'doomed' });
    expect(asked).toMatchObject({ status: 403, body: { error: 'CONFIRMATION_REQUIRED' } });
    expect(asked.body).not.toHaveProperty('confirmationCode');
    const approvalId = asked.body.approvalId as string;
    expect((await type('approvals', 'list')).said.join('\n')).toMatch(
      new RegExp(`${approvalId} +PENDING +spec +delete_tag`),
    );
    expect((await type('approvals', 'approve', approvalId, '--yes')).said[0]).toContain('Deletes the tag "doomed"');
    const { tags } = await tenant.client.data<{ tags: { name: string }[] }>('list_tags', {});
    expect(tags.map(({ name }) => name)).not.toContain('doomed');
    const done = await agent.call('delete_tag', { name: 'doomed' });
    expect(done.body.data).toMatchObject({ deleted: true });
    expect((await agent.call('delete_tag', { name: 'doomed' })).body.data).toEqual(done.body.data);
    expect((await type('approvals', 'list')).last).toBe('0 waiting.');
    expect(await type('approvals', 'reject', approvalId)).toMatchObject({
      status: 1,
      noted: [expect.stringContaining('EXECUTED')],
    });
    expect((await type('approvals', 'approve', 'apr_none', '--yes')).status).toBe(1);
  });

  it('rejects a call, which is then refused without asking again', async () => {
    const agent = await bound();
    await agent.data('create_tag', { name: 'kept' });
    const { body } = await agent.call('delete_tag', { name: 'kept' });
    await type('approvals', 'reject', body.approvalId as string);
    const refused = await agent.call('delete_tag', { name: 'kept', confirmationCode: 12345 });
    expect(refused.body).toMatchObject({ code: 'FORBIDDEN', reason: 'APPROVAL_REJECTED' });
    expect((await agent.call('delete_tag', { name: 'KEPT' })).body.approvalId).not.toBe(body.approvalId);
  });

  it('returns who changed each thing, by which token and interface, and the refusals', async () => {
    const { client } = tenant;
    await client.data('list_tags', {});
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', { subject: 'Audited' });
    await client.call('create_tag', { name: 'kept' }, { 'x-request-id': 'audited-1' });
    await client.v1('POST', '/subscribers', { email: 'audited@example.com' });
    const entries = async (...more: string[]) =>
      (await type('audit', 'list', '--org', tenant.organizationId, ...more)).said.slice(1);
    await until('the log has the last call', async () => (await entries()).some((line) => line.includes('v1 POST')));
    const lines = await entries('--since', '1h');
    expect(lines.find((line) => line.includes('create_campaign'))).toMatch(
      new RegExp(`^20\\S+Z +spec +tools +create_campaign +${campaignId} +OK +\\S+$`),
    );
    expect(lines.find((line) => line.includes('audited-1'))).toMatch(/create_tag +kept +TAG_NAME_TAKEN +audited-1$/);
    expect(lines.find((line) => line.includes('v1 POST /subscribers'))).toMatch(
      /v1 +v1 POST \/subscribers +sub_\S+ +OK/,
    );
    expect(lines.join('\n')).not.toContain('list_tags');
    expect(await entries('--tool', 'create_campaign', '--limit', '1')).toHaveLength(1);
    expect(await type('audit', 'list', '--org', tenant.organizationId, '--limit', '0')).toMatchObject({ status: 2 });
  });
});
