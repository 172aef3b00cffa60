import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../apps/gateway/test/fake-services.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

/** What agents do wrong most, and the words of the answer that get them on. */
describe('a mistake is answered with what to do next', () => {
  let surface: ApiFixture;
  let tenant: ApiTenant;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    surface = await ApiFixture.start();
    tenant = await surface.customer();
    const { client } = tenant;
    const content = 'Hello\n\n[Unsubscribe]({{unsubscribeUrl}})';
    const campaign = async (name: string, more: object = {}) => {
      const made = { name, subject: 'Hello', contentType: 'MARKDOWN', content, ...more };
      return (await client.data<{ campaignId: string }>('create_campaign', made)).campaignId;
    };
    ids.draft = await campaign('Spring news');
    ids.bare = await campaign('Bare', { content: 'Hello' });
    ids.scheduled = await campaign('Scheduled');
    await client.data('schedule_campaign', { campaignId: ids.scheduled, date: '2037-01-01' });
    await client.data('create_tag', { name: 'customer' });
    const made = await client.data<Json>('create_workflow', { name: 'Welcome' });
    ids.workflow = made.workflow.id as string;
    ids.stale = '2020-01-01T00:00:00.000Z';
    ids.fresh = made.workflow.updatedAt as string;
    const { domain } = await client.data<Json>('create_domain', { domain: 'pending.internal' });
    ids.domain = domain.id as string;
  });
  afterAll(async () => {
    await surface.stop();
  });

  /** Replaces names in braces by ids. */
  const filled = (body: object): object =>
    JSON.parse(
      JSON.stringify(body).replace(/"\{(\w+)\}"/g, (_all, name: string) => JSON.stringify(ids[name])),
    ) as object;
  const audience = (filter: object) => ({ filters: [filter] });
  const graph = (edge: object) => ({
    workflowId: '{workflow}',
    expectedUpdatedAt: '{fresh}',
    steps: [
      { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
      {
        id: 'vip',
        type: 'CONDITION',
        config: { filters: [{ type: 'SYSTEM', field: 'system', operator: 'IS_ENGAGED' }] },
      },
      { id: 'end', type: 'EXIT', config: {} },
    ],
    edges: [{ source: 'start', target: 'vip' }, edge],
  });

  it.each<[string, string, object, RegExp[]]>([
    ['a tool that there is not', 'list_tag', {}, [/Did you mean list_tags\?/, /GET \/api\/v2\/tools lists all/]],
    ['a misspelt parameter', 'create_campaign', { subjct: 'Hi' }, [/subjct/, /did you mean "?subject/i]],
    ['a missing parameter', 'create_campaign', {}, [/subject/, /required|missing/]],
    ['a wrong type', 'list_campaigns', { limit: 'ten' }, [/limit/, /number|integer/]],
    ['a value out of range', 'list_campaigns', { limit: 1000 }, [/limit/, /100/]],
    ['a value of no enum', 'create_campaign', { subject: 'Hi', contentType: 'WORD' }, [/MAILY/, /PLATE/, /MARKDOWN/]],
    ['a name for an id', 'get_campaign', { campaignId: 'Spring news' }, [/Spring news/, /list_campaigns/]],
    ['nobody named', 'get_subscriber', {}, [/One of subscriberId or email is required/]],
    [
      'a subscriber that there is not',
      'get_subscriber',
      { email: 'nobody@example.com' },
      [/list_subscribers|add_subscriber/],
    ],
    ['a name that is taken', 'create_tag', { name: 'CUSTOMER' }, [/already exists \(tag_/, /without case/]],
    [
      'a stale update',
      'update_workflow_draft',
      { workflowId: '{workflow}', expectedUpdatedAt: '{stale}', definition: { steps: [], edges: [] } },
      [/now 20\d\d-/, /Read it again/],
    ],
    [
      'no confirmation',
      'archive_campaign',
      { campaignId: '{draft}' },
      [/"confirmationCode": \d{5}/, /exactly this request/],
    ],
    [
      'a made-up confirmation code',
      'archive_campaign',
      { campaignId: '{draft}', confirmationCode: 10_000 },
      [/does not belong to exactly this request/, /"confirmationCode": \d{5}/],
    ],
    [
      'a state that forbids it',
      'edit_campaign',
      { id: '{scheduled}', subject: 'x' },
      [/SCHEDULED/, /cancel_campaign_schedule/],
    ],
    [
      'a filter operator that there is not',
      'count_subscribers',
      audience({ type: 'STRING', field: 'email', operator: 'LIKE', value: 'a' }),
      [/LIKE/, /CONTAINS/],
    ],
    ['a filter type that there is not', 'count_subscribers', audience({ type: 'TEXT', field: 'email' }), [/STRING/]],
    [
      'a tag in a filter that there is not',
      'count_subscribers',
      audience({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customr'] }),
      [/customr/, /customer|list_tags/],
    ],
    [
      'content and operations',
      'edit_campaign',
      { id: '{draft}', content: 'x', operations: [{ op: 'remove_node' }] },
      [/not both/],
    ],
    [
      'a text to replace that is not there',
      'edit_campaign',
      { id: '{draft}', operations: [{ op: 'replace_text', search: 'Helo', replace: 'Hi' }] },
      [/Helo/, /Hello/],
    ],
    [
      'no unsubscribe link',
      'schedule_campaign',
      { campaignId: '{bare}' },
      [/\{\{unsubscribeUrl\}\}/, /schedule again/],
    ],
    [
      'a past date',
      'schedule_campaign',
      { campaignId: '{draft}', date: '2020-01-01' },
      [/in the past/, /leave out the date/],
    ],
    [
      'an email without a body',
      'send_email',
      { from: 'a@b.co', to: 'd@e.co', subject: 'x' },
      [/html or tiptap is required/],
    ],
    ['minutes without hours', 'schedule_campaign', { campaignId: '{draft}', minutes: 5 }, [/hours/]],
    [
      'a sender on an unverified domain',
      'create_email_sender',
      { displayName: 'Ada', localPart: 'ada', domainId: '{domain}' },
      [/not VERIFIED/, /verify_domain/],
    ],
    [
      'a branch that there is not',
      'configure_workflow_draft',
      graph({ source: 'vip', target: 'end', branch: 'YES' }),
      [/YES/, /TRUE/, /FALSE/],
    ],
    [
      'a workflow that was never published',
      'update_workflow_status',
      { workflowId: '{workflow}', status: 'ACTIVE' },
      [/publish_workflow/],
    ],
  ])('%s', async (_what, tool, body, words) => {
    const answer = await tenant.client.call(tool, filled(body));
    expect(answer.body.success).toBe(false);
    const { error, message, instruction, issues } = answer.body as Json;
    const said = [error, message, instruction, JSON.stringify(issues ?? [])].join(' ').replaceAll('\\"', '"');
    for (const word of words) expect(said).toMatch(word);
  });

  it('an unknown variable is warned of, with the one that was meant', async () => {
    const text = { subject: 'Hi {{frstName}}', contentType: 'MARKDOWN', content: 'Hello {{frstName}}' };
    const { warnings } = await tenant.client.data<Json>('create_campaign', text);
    expect(JSON.stringify(warnings)).toMatch(/frstName/);
  });

  it('invalid JSON, and a missing token, are answered with the correction', async () => {
    const send = (headers: Record<string, string>, body: string) =>
      surface.gateway.send('/api/v2/tools/list_tags', { method: 'POST', headers, body });
    const json = { 'content-type': 'application/json' };
    expect((await send({ ...json, authorization: `Bearer ${tenant.token}` }, "{'a': 1}")).body.error).toMatch(
      /not JSON/,
    );
    expect((await send(json, '{}')).body.error).toMatch(/Authorization: Bearer <token>/);
    const form = { 'content-type': 'text/plain', authorization: `Bearer ${tenant.token}` };
    expect((await send(form, '{}')).body.error).toMatch(/must be application\/json/);
  });
});
