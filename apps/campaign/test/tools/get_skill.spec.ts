import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogue, skillTypes } from '#contracts';
import { skillPages } from '../../src/skill/doc-pages.js';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { png, Site } from '../image-fixtures.js';

const examples = [...skillPages.values()].flatMap(({ slug, markdown }) =>
  [...markdown.matchAll(/```json tool=(\w+)\n(.*?)\n```/gs)].map(
    ([, tool, body], n) => [`${slug} ${n + 1}`, tool!, body!] as const,
  ),
);

describe('get_skill', () => {
  let fixture: CampaignFixture;
  let site: Site;
  beforeAll(async () => {
    site = await Site.open((_request, response) => response.end(png(2, 2)));
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
    await fixture.people(2, 'customer');
    await fixture.snippet('Greeting', doc(paragraph('Hello from us')));
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
  });

  const skill = (input: object) =>
    fixture.harness.data<{ type: string; title: string; markdown?: string; pages?: { slug: string }[] }>(
      'get_skill',
      input,
      fixture.tenant,
    );

  it('has a page for every type, in any case, and a catalogue of all pages', async () => {
    for (const type of skillTypes.filter((one) => one !== 'docs')) {
      const { type: answered, title, markdown } = await skill({ type: type.toUpperCase() });
      expect(answered).toBe(type);
      expect(title.length).toBeGreaterThan(3);
      expect(markdown!.length).toBeGreaterThan(500);
    }
    const { pages } = await skill({ type: 'docs' });
    expect(pages!.map(({ slug }) => slug)).toEqual([...skillPages.keys()]);
    for (const { slug } of pages!) expect((await skill({ type: 'docs', page: slug })).markdown).toMatch(/^# /);
  });

  it('answers SKILL_PAGE_NOT_FOUND with the pages there are, and PARAMETERS_INVALID for a page of another type', async () => {
    const outcome = await fixture.harness.call('get_skill', { type: 'docs', page: 'nonsense' }, fixture.tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'SKILL_PAGE_NOT_FOUND' } });
    expect(JSON.stringify(outcome)).toContain('documents');
    for (const input of [{ type: 'campaign', page: 'documents' }, { type: 'nonsense' }, {}]) {
      expect(await fixture.harness.refusal('get_skill', input, fixture.tenant)).toBe('PARAMETERS_INVALID');
    }
  });

  it('documents every step type and every action kind with their fields', async () => {
    const { markdown } = await skill({ type: 'workflow' });
    const types = [
      'TRIGGER',
      'EMAIL',
      'WAIT',
      'WAIT_UNTIL',
      'CONDITION',
      'SPLIT',
      'ACTION',
      'MOVE_TO_STEP',
      'GOAL',
      'EXIT',
    ];
    const kinds = [
      'ADD_TAGS',
      'REMOVE_TAGS',
      'SET_FIELD',
      'UNSUBSCRIBE',
      'ADD_TO_WORKFLOW',
      'REMOVE_FROM_WORKFLOW',
      'WEBHOOK',
    ];
    const words = ['timeOfDay', 'weekdays', 'offsetDays', 'exitRules', 'sendWindow', 'withinDays', 'eventType'];
    for (const word of [...types, ...kinds, ...words]) expect(markdown).toContain(word);
  });

  it('names all tools that ask first', async () => {
    const { markdown } = await skill({ type: 'docs', page: 'confirmation' });
    const asking = [...catalogue.values()].filter(({ contract }) => contract.confirm).map(({ name }) => name);
    expect(asking.length).toBeGreaterThan(5);
    for (const name of asking.filter((one) => !one.startsWith('delete_'))) expect(markdown).toContain(name);
  });

  it('has a run of its example wait for an opening from the mail on, so that it misses none', () => {
    const [, , body] = examples.find(([, tool]) => tool === 'configure_workflow_draft')!;
    const { steps, edges } = JSON.parse(body) as {
      steps: { id: string; type: string }[];
      edges: { source: string; target: string }[];
    };
    const waiting = steps.find(({ type }) => type === 'WAIT_UNTIL')!;
    const before = edges.flatMap(({ source, target }) => (target === waiting.id ? source : []));
    expect(before.map((id) => steps.find((step) => step.id === id)!.type)).toEqual(['EMAIL']);
  });

  it('names no tool that there is not', () => {
    for (const [name, tool] of examples)
      expect({ name, tool, known: catalogue.has(tool) }).toMatchObject({ known: true });
  });

  /** Creates the record for a placeholder in braces when an example needs it. */
  const samples: Record<string, () => Promise<string>> = {
    campaignId: async () => (await fixture.draft()).id,
    scheduledCampaignId: async () => {
      const { id } = await fixture.draft();
      await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
      return id;
    },
    imageUrl: () => Promise.resolve(site.url('/bed.png')),
    imageId: async () =>
      (await fixture.harness.data<{ imageId: string }>('upload_image', { url: site.url() }, fixture.tenant)).imageId,
    hostedImageUrl: async () =>
      (await fixture.harness.data<{ image: { url: string } }>('upload_image', { url: site.url() }, fixture.tenant))
        .image.url,
    snippetId: () => fixture.snippet(`Snippet ${Math.random()}`, doc(paragraph('Hi'))),
    workflowId: async () => (drafted = await workflow()).id,
    workflowUpdatedAt: () => Promise.resolve(drafted!.updatedAt),
    configuredWorkflowId: () => configured(),
    liveWorkflowId: async () => {
      const workflowId = await configured();
      await fixture.harness.data('publish_workflow', { workflowId }, fixture.tenant);
      return workflowId;
    },
  };
  let drafted: { id: string; updatedAt: string } | null = null;

  const workflow = async () => {
    const input = { name: 'Welcome' };
    return (
      await fixture.harness.data<{ workflow: { id: string; updatedAt: string } }>(
        'create_workflow',
        input,
        fixture.tenant,
      )
    ).workflow;
  };
  const configured = async () => {
    const { id: workflowId, updatedAt: expectedUpdatedAt } = await workflow();
    const steps = [{ id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } }];
    await fixture.harness.data(
      'configure_workflow_draft',
      { workflowId, expectedUpdatedAt, steps, edges: [] },
      fixture.tenant,
    );
    return workflowId;
  };

  async function filledIn(body: string): Promise<Record<string, unknown>> {
    let filled = body;
    for (const [, name] of body.matchAll(/"\{(\w+)\}"/g)) {
      if (!filled.includes(`"{${name}}"`)) continue;
      const campaign = /"campaignId": "(cmp_\w+)"/.exec(filled)?.[1];
      const id = name === 'historyId' ? await newestEntry(campaign!) : await samples[name!]!();
      filled = filled.replaceAll(`"{${name}}"`, JSON.stringify(id));
    }
    return JSON.parse(filled) as Record<string, unknown>;
  }

  const newestEntry = async (campaignId: string) =>
    (await fixture.harness.data<{ entries: { id: string }[] }>('list_campaign_history', { campaignId }, fixture.tenant))
      .entries[0]!.id;

  it.each(examples)('example %s, %s, works without changes', async (_name, tool, body) => {
    const outcome = await fixture.harness.call(tool, await filledIn(body), fixture.tenant);
    expect(outcome).toMatchObject({ ok: true });
  });
});
