import { beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { byHand, graph, mail, step, waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, inState } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('publish_workflow', () => {
  it('makes versions that never change, with the time zone and the emails of that moment', async () => {
    const { id } = await fixture.create('Versions');
    await fixture.configure(id, waiting(mail('m', 'First')));
    const first = await fixture.harness.data('publish_workflow', { workflowId: id }, fixture.tenant);
    expect(first).toMatchObject({ version: 1, activated: true, workflow: { status: 'ACTIVE' } });
    await fixture.configure(id, graph([byHand, mail('m', 'Second')]));
    const drafted = await fixture.get(id);
    expect(drafted.difference).toMatchObject({ stepsRemoved: ['wait'], stepsAdded: [], edges: true });
    expect(drafted.published).toMatchObject({ version: 1, steps: [{ id: 'start' }, { id: 'wait' }, { id: 'm' }] });
    expect(await fixture.publish(id)).toMatchObject({
      published: { version: 2 },
      difference: { stepsChanged: [], edges: false, settings: false },
    });
    const moved = { ...graph([byHand, mail('m', 'Second')]), settings: { timezone: 'Asia/Tokyo' } };
    expect((await fixture.configure(id, moved)).workflow.difference).toMatchObject({ edges: false, settings: true });
    const sql = fixture.harness.dataSource('workflow');
    const rows = await sql.query<{ emails: Record<string, { subject: string }> }[]>(
      `select emails from workflow_version where workflow_id = $1 order by version desc`,
      [uuidOf('wf', id)],
    );
    expect(rows.map(({ emails }) => emails.m!.subject)).toEqual(['Second', 'First']);
  });

  it('says in its question which emails are not written yet', async () => {
    const { id } = await fixture.create('Unwritten');
    await fixture.configure(id, graph([byHand, mail('m', 'A new mail')]));
    const asked = await fixture.harness.describe('publish_workflow', { workflowId: id }, fixture.tenant);
    expect(asked).toMatchObject({
      data: { message: expect.stringContaining("Warning: subject or text of 'A new mail' is still the one") },
    });
    await fixture.configure(id, graph([byHand, mail('m', 'Hello')]));
    const written = await fixture.harness.describe('publish_workflow', { workflowId: id }, fixture.tenant);
    expect(JSON.stringify(written)).not.toContain('Warning');
  });

  it('refuses an empty draft and deleted targets with GRAPH_INVALID, ARCHIVED with WORKFLOW_ARCHIVED', async () => {
    const { id } = await fixture.create();
    expect(await fixture.refusal('publish_workflow', { workflowId: id })).toBe('GRAPH_INVALID');
    const [tag] = await fixture.tags('passing');
    await fixture.configure(id, graph([step('t', 'TRIGGER', { kind: 'TAG_ADDED', tags: ['passing'] }), mail('m')]));
    await fixture.harness.data('delete_tag', { tagId: tag }, fixture.tenant);
    expect(await fixture.refusal('publish_workflow', { workflowId: id })).toBe('GRAPH_INVALID');
    const live = await fixture.live(waiting());
    await fixture.status(live, 'ARCHIVED');
    expect(await fixture.refusal('publish_workflow', { workflowId: live })).toBe('WORKFLOW_ARCHIVED');
    expect(await fixture.refusal('publish_workflow', { workflowId: live }, fixture.otherTenant)).toBe(
      'WORKFLOW_NOT_FOUND',
    );
  });

  it('publishes a draft whose filter was saved with a country that fits none, which a changed draft may not hold', async () => {
    const on = (value: string) => ({ filters: [{ type: 'STRING', field: 'country', operator: 'EQUALS', value }] });
    const drawn = (value: string) =>
      graph([byHand, step('if', 'CONDITION', on(value)), mail('m')], 'start>if', 'if>m:true');
    const { id } = await fixture.create('Countries');
    await fixture.configure(id, drawn('FR'));
    await fixture.harness
      .dataSource('workflow')
      .query(`update workflow set draft = replace(draft::text, '"FR"', '"Oz"')::jsonb where workflow_id = $1`, [
        uuidOf('wf', id),
      ]);
    expect(await fixture.publish(id)).toMatchObject({ published: { version: 1 } });
    await expect(fixture.configure(id, drawn('Oz'))).rejects.toThrow('fits no country: "Oz"');
  });

  it('refuses without a sender with SENDER_MISSING, on an unverified domain with SENDER_DOMAIN_UNVERIFIED', async () => {
    const tenant = fixture.otherTenant;
    const { id } = await fixture.create('Senders', tenant);
    await fixture.configure(id, waiting(mail('m')), tenant);
    const sql = fixture.harness.dataSource('domain');
    await sql.query(`update sending_domain set status = 'PENDING'`);
    expect(await fixture.refusal('publish_workflow', { workflowId: id }, tenant)).toBe('SENDER_DOMAIN_UNVERIFIED');
    await sql.query(`update sending_domain set status = 'VERIFIED'`);
    await sql.query(`delete from sender where organization_id = $1`, [uuidOf('org', tenant.organizationId)]);
    expect(await fixture.refusal('publish_workflow', { workflowId: id }, tenant)).toBe('SENDER_MISSING');
  });

  it.each([
    ['DRAFT', undefined, 'ACTIVE'],
    ['DRAFT', true, 'ACTIVE'],
    ['DRAFT', false, 'PAUSED'],
    ['ACTIVE', undefined, 'ACTIVE'],
    ['ACTIVE', true, 'ACTIVE'],
    ['ACTIVE', false, 'ACTIVE'],
    ['PAUSED', undefined, 'PAUSED'],
    ['PAUSED', true, 'ACTIVE'],
    ['PAUSED', false, 'PAUSED'],
    ['ARCHIVED', undefined, 'WORKFLOW_ARCHIVED'],
    ['ARCHIVED', true, 'WORKFLOW_ARCHIVED'],
    ['ARCHIVED', false, 'WORKFLOW_ARCHIVED'],
  ] as const)('publish %s with activate %s becomes %s', async (from, activate, to) => {
    const workflowId = await inState[from](fixture);
    const input = { workflowId, ...(activate !== undefined && { activate }) };
    const outcome = await fixture.harness.call('publish_workflow', input, fixture.tenant);
    expect(outcome.ok ? (await fixture.get(workflowId)).status : outcome.error.reason).toBe(to);
  });

  it('warns in its question of workflows that start each other', async () => {
    await fixture.tags('ping', 'pong');
    const ids: string[] = [];
    for (const [from, to] of [
      ['ping', 'pong'],
      ['pong', 'ping'],
    ]) {
      const { id } = await fixture.create(`On ${from}`);
      const trigger = step('t', 'TRIGGER', { kind: 'TAG_ADDED', tags: [from] });
      const next = step('a', 'ACTION', { kind: 'ADD_TAGS', tags: [to] });
      await fixture.configure(id, { ...graph([trigger, next]), settings: { reentry: 'ALWAYS' } });
      ids.push(id);
    }
    const question = async (workflowId: string) => {
      const asked = await fixture.harness.describe('publish_workflow', { workflowId }, fixture.tenant);
      return asked.ok ? (asked.data as { message: string }).message : asked.error.message;
    };
    expect(await question(ids[0]!)).not.toContain('Warning');
    await fixture.publish(ids[0]!);
    expect(await question(ids[1]!)).toContain(
      'Warning: "On pong" starts "On ping" starts "On pong" again, without end, for the same subscriber.',
    );
  });
});
