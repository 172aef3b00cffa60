import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogue } from '#contracts';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

interface Answer {
  success?: boolean;
  reason?: string;
  confirmationCode?: number;
  issues?: { path: string[]; message: string }[];
}

let fixture: ApiFixture;
let tenant: ApiTenant;
/** A token of an administrator. */
let administrator: string;
beforeAll(async () => {
  fixture = await ApiFixture.start();
  tenant = await fixture.customer('Ours');
  administrator = await fixture.token(tenant.organizationId, { scopes: ['read', 'write', 'send', 'admin'] });
});
afterAll(() => fixture.stop());

const data = <D>(tool: string, input: object) => tenant.client.data<D>(tool, input);

async function call(tool: string, input: object, ifMatch?: string): Promise<{ status: number; body: Answer }> {
  const headers = {
    authorization: `Bearer ${administrator}`,
    'content-type': 'application/json',
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
  };
  const sent = { method: 'POST', headers, body: JSON.stringify(input) };
  const answer = await fixture.gateway.send(`/api/v2/tools/${tool}`, sent);
  return { status: answer.status, body: answer.body };
}

/** Calls a tool with If-Match, confirming where it asks. */
async function confirmed(tool: string, input: object, ifMatch: string) {
  const first = await call(tool, input, ifMatch);
  const { confirmationCode } = first.body;
  return confirmationCode === undefined ? first : await call(tool, { ...input, confirmationCode }, ifMatch);
}

/** A record, and the call of a tool that changes it. */
interface Example {
  input: object;
  updatedAt: () => Promise<string>;
}

const content = '[Unsubscribe]({{unsubscribeUrl}})';
async function campaign(input: (campaignId: string) => object, prepare?: (id: string) => Promise<unknown>) {
  await data('add_subscriber', { email: 'ada@example.com' });
  const letter = { name: 'Spring', subject: 'Hello', contentType: 'MARKDOWN', content };
  const { campaignId } = await data<{ campaignId: string }>('create_campaign', letter);
  await prepare?.(campaignId);
  const updatedAt = async () =>
    (await data<{ campaign: { updatedAt: string } }>('get_campaign', { campaignId })).campaign.updatedAt;
  return { input: input(campaignId), updatedAt };
}
async function snippet(change: object, prepare?: (id: string) => Promise<unknown>): Promise<Example> {
  const name = `Snippet ${Math.random()}`;
  const { snippetId: id } = await data<{ snippetId: string }>('create_email_snippet', { name });
  await prepare?.(id);
  const updatedAt = async () =>
    (await data<{ snippet: { updatedAt: string } }>('get_email_snippet', { id })).snippet.updatedAt;
  return { input: { id, ...change }, updatedAt };
}
async function segment(change: object): Promise<Example> {
  const { segmentId } = await data<{ segmentId: string }>('create_segment', { name: `Segment ${Math.random()}` });
  const updatedAt = async () =>
    (await data<{ segment: { updatedAt: string } }>('get_segment', { segmentId })).segment.updatedAt;
  return { input: { segmentId, ...change }, updatedAt };
}
async function workflow(change: object, prepare?: (id: string) => Promise<unknown>): Promise<Example> {
  const { workflow: made } = await data<{ workflow: { id: string; updatedAt: string } }>('create_workflow', {
    name: 'Welcome',
  });
  const workflowId = made.id;
  const steps = [{ id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } }];
  const draft = { workflowId, expectedUpdatedAt: made.updatedAt, steps, edges: [] };
  await data('configure_workflow_draft', draft);
  await prepare?.(workflowId);
  const updatedAt = async () =>
    (await data<{ workflow: { updatedAt: string } }>('get_workflow', { workflowId })).workflow.updatedAt;
  return { input: { workflowId, ...change }, updatedAt };
}
async function subscriber(): Promise<Example> {
  await data('add_subscriber', { email: 'grace@example.com' });
  const updatedAt = async () =>
    (await data<{ subscriber: { updatedAt: string } }>('get_subscriber', { email: 'grace@example.com' })).subscriber
      .updatedAt;
  return { input: { subscriber: 'grace@example.com', name: 'Grace' }, updatedAt };
}
const newestEntry = async (campaignId: string) =>
  (await data<{ entries: { id: string }[] }>('list_campaign_history', { campaignId })).entries[0]!.id;

async function organization(): Promise<Example> {
  const updatedAt = async () =>
    (await data<{ organization: { updatedAt: string } }>('get_organization', {})).organization.updatedAt;
  return { input: { name: `Renamed ${Math.random()}` }, updatedAt };
}

const examples: Record<string, () => Promise<Example>> = {
  edit_campaign: () => campaign((id) => ({ id, subject: 'Changed' })),
  update_campaign_filters: () => campaign((campaignId) => ({ campaignId, filters: [] })),
  schedule_campaign: () => campaign((campaignId) => ({ campaignId, date: '2037-01-01' })),
  cancel_campaign_schedule: () =>
    campaign(
      (campaignId) => ({ campaignId }),
      (campaignId) => data('schedule_campaign', { campaignId, date: '2037-01-01' }),
    ),
  archive_campaign: () => campaign((campaignId) => ({ campaignId })),
  unarchive_campaign: () =>
    campaign(
      (campaignId) => ({ campaignId }),
      (campaignId) => data('archive_campaign', { campaignId }),
    ),
  restore_campaign_history: async () => {
    let historyId = '';
    const remember = async (campaignId: string) => (historyId = await newestEntry(campaignId));
    const example = await campaign((campaignId) => ({ campaignId }), remember);
    return { ...example, input: { ...example.input, historyId } };
  },
  update_email_snippet: () => snippet({ description: 'Changed' }),
  archive_email_snippet: () => snippet({}),
  unarchive_email_snippet: () => snippet({}, (id) => data('archive_email_snippet', { id })),
  update_organization: organization,
  update_segment: () => segment({ name: `Renamed ${Math.random()}` }),
  delete_segment: () => segment({}),
  update_subscriber: subscriber,
  publish_workflow: () => workflow({}),
  update_workflow_status: () =>
    workflow({ status: 'PAUSED' }, (workflowId) => data('publish_workflow', { workflowId })),
  delete_workflow: () => workflow({}),
};

const stale = '2020-01-01T00:00:00.000Z';

describe('If-Match', () => {
  it('is supported by every tool that changes one record with updatedAt', () => {
    const locking = [...catalogue.values()].filter(({ contract }) => contract.locks).map(({ name }) => name);
    expect(locking.sort()).toEqual(Object.keys(examples).sort());
  });

  it.each(Object.keys(examples))('%s refuses a record that was changed since, and takes a fresh one', async (tool) => {
    const { input, updatedAt } = await examples[tool]!();
    const before = await updatedAt();
    const refused = await call(tool, input, `"${stale}"`);
    expect({ status: refused.status, reason: refused.body.reason }).toEqual({
      status: 409,
      reason: 'EXPECTED_UPDATED_AT_STALE',
    });
    expect(await updatedAt()).toBe(before);
    expect(await confirmed(tool, input, `"${before}"`)).toMatchObject({ status: 200, body: { success: true } });
  });

  it('lets one of two concurrent edits of one version win', async () => {
    const { input, updatedAt } = await examples.edit_campaign!();
    const version = `"${await updatedAt()}"`;
    const answers = await Promise.all(
      ['One', 'Two'].map((subject) => call('edit_campaign', { ...input, subject }, version)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('is refused by tools that do not check it, and with a value that is no updatedAt', async () => {
    const refused = async (tool: string, input: object, ifMatch: string) => {
      const { status, body } = await call(tool, input, ifMatch);
      expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'PARAMETERS_INVALID' });
      return body.issues!;
    };
    expect(await refused('create_tag', { name: 'x' }, `"${stale}"`)).toEqual([
      { path: ['If-Match'], message: expect.stringContaining('create_tag') },
    ]);
    const { input } = await examples.edit_campaign!();
    for (const value of ['*', 'W/"x"', `W/"${stale}"`, '"x"', `"${stale}", "${stale}"`])
      expect(await refused('edit_campaign', input, value)).toMatchObject([{ path: ['If-Match'] }]);
  });

  it('is _meta["tidings/ifMatch"] over MCP', async () => {
    const { input, updatedAt } = await examples.edit_campaign!();
    const edit = async (version: string) => {
      const params = { name: 'edit_campaign', arguments: input, _meta: { 'tidings/ifMatch': version } };
      const answer = await fixture.gateway.send('/api/mcp', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${administrator}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return JSON.stringify(answer.body);
    };
    expect(await edit(stale)).toContain('EXPECTED_UPDATED_AT_STALE');
    expect(await edit(await updatedAt())).not.toContain('EXPECTED_UPDATED_AT_STALE');
  });
});
