import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { byHand, graph, mail, step, waiting } from '../workflow-fixture.js';
import type { GivenGraph, WorkflowFixture } from '../workflow-fixture.js';
import { givenGraph } from '../simulation/given-graph.js';
import { innerTags, outerTags, Random, randomGraph } from '../simulation/random-graph.js';
import { isolatedFixture } from '../isolated-fixture.js';

interface Validation {
  valid: boolean;
  issues: { stepId: string | null; path: (string | number)[]; message: string }[];
  warnings: object[];
}
type GivenDraft = GivenGraph & { settings?: object; successGoals?: object[] };

/** Graphs that are compared with the tools that save and publish. */
const graphs = 300;

let fixture: WorkflowFixture;
let tagIds: Map<string, string>;
let startTag: string;
beforeAll(async () => {
  fixture = await isolatedFixture();
  const names = [...outerTags, ...innerTags, 'start'];
  const ids = await fixture.tags(...names);
  tagIds = new Map(names.map((name, n) => [name, ids[n]!]));
  startTag = tagIds.get('start')!;
});

const validate = (draft: object, tenant = fixture.tenant) =>
  fixture.harness.data<Validation>('validate_workflow_draft', draft, tenant);

/** Ways to break a draft, or to leave it as it is. */
const changes: ((draft: GivenDraft, random: Random) => void)[] = [
  () => undefined,
  () => undefined,
  ({ edges }, random) => void edges.splice(random.below(edges.length), 1),
  ({ edges }, random) => void (random.pick(edges).target = 'nowhere'),
  ({ edges }, random) => void (random.pick(edges).branch = 'UNKNOWN'),
  ({ steps }, random) => void (random.pick(steps).type = 'LOOP'),
  ({ steps }, random) => void (random.pick(steps).id = 'start'),
  ({ steps }, random) => void (random.pick(steps).config = { kind: 'ADD_TAGS', tags: [newId('tag')] }),
  ({ steps }) => void steps.push(step('lost', 'EXIT')),
  ({ steps }, random) => {
    const emails = steps.filter(({ type }) => type === 'EMAIL');
    if (emails.length > 0) random.pick(emails).config = { subject: 'Hello', content: '{{snippet:none}} {{#if}}' };
  },
  ({ steps }, random) => {
    const emails = steps.filter(({ type }) => type === 'EMAIL');
    if (emails.length > 0) random.pick(emails).config!.senderId = newId('snd');
  },
  (draft) => void (draft.settings = { timezone: 'Mars/Olympus' }),
  (draft) => void (draft.successGoals = [{ id: 'twice', event: { kind: 'TAG_ADDED' } }, { id: 'twice' }]),
];

describe('validate_workflow_draft', () => {
  it('equals saving and publishing on generated graphs, sound and broken', async () => {
    const { id } = await fixture.create('Compared');
    const seen = { valid: 0, invalid: 0 };
    for (let seed = 1; seed <= graphs; seed++) {
      const random = new Random(seed);
      const draft = structuredClone(givenGraph(randomGraph(random), startTag, tagIds)) as unknown as GivenDraft;
      random.pick(changes)(draft, random);
      const { valid, issues, warnings } = await validate({ workflowId: id, ...draft });
      const { updatedAt } = await fixture.get(id);
      const input = { workflowId: id, expectedUpdatedAt: updatedAt, ...draft };
      const saved = await fixture.harness.call('configure_workflow_draft', input, fixture.tenant);
      const refused = saved.ok ? [] : saved.error.issues!.map((issue) => ({ stepId: null, ...issue }));
      expect({ seed, issues }).toEqual({ seed, issues: refused });
      if (saved.ok) {
        expect({ seed, warnings }).toEqual({ seed, warnings: (saved.data as Validation).warnings });
        const published = await fixture.harness.describe('publish_workflow', { workflowId: id }, fixture.tenant);
        expect({ seed, valid }).toEqual({ seed, valid: published.ok });
      }
      seen[valid ? 'valid' : 'invalid'] += 1;
    }
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(graphs / 10);
  }, 300_000);

  it('saves nothing, and needs no workflow', async () => {
    const before = await fixture.harness.data('list_workflows', {}, fixture.tenant);
    expect(await validate(waiting())).toMatchObject({ valid: true, issues: [] });
    expect(await fixture.harness.data('list_workflows', {}, fixture.tenant)).toEqual(before);
  });

  it('reports a sender on a domain that is not VERIFIED, which only publishing refuses', async () => {
    const { harness, tenant } = fixture;
    const { domain } = await harness.data<{ domain: { id: string } }>(
      'create_domain',
      { domain: 'acme.example' },
      tenant,
    );
    const setStatus = (status: string) =>
      harness
        .dataSource('domain')
        .query(`update sending_domain set status = $2 where domain_id = $1`, [uuidOf('dom', domain.id), status]);
    await setStatus('VERIFIED');
    const input = { domainId: domain.id, displayName: 'Ada', localPart: 'ada' };
    const { sender } = await harness.data<{ sender: { id: string } }>('create_email_sender', input, tenant);
    await setStatus('FAILED');
    const letter = mail('letter');
    const draft = waiting({ ...letter, config: { ...letter.config, senderId: sender.id } });
    expect(await validate(draft)).toMatchObject({
      valid: false,
      issues: [
        {
          stepId: 'letter',
          path: ['steps', 2, 'config', 'senderId'],
          message: expect.stringContaining('acme.example is not VERIFIED'),
        },
      ],
    });
    const { id } = await fixture.create();
    await fixture.configure(id, draft);
    expect(await fixture.refusal('publish_workflow', { workflowId: id })).toBe('SENDER_DOMAIN_UNVERIFIED');
  });

  it('reports that an archived workflow takes no new version', async () => {
    const id = await fixture.live(waiting());
    await fixture.status(id, 'ARCHIVED');
    expect(await validate({ workflowId: id, ...waiting() })).toMatchObject({
      valid: false,
      issues: [{ stepId: null, path: [], message: expect.stringContaining('ARCHIVED') }],
    });
    expect(await fixture.refusal('publish_workflow', { workflowId: id })).toBe('WORKFLOW_ARCHIVED');
  });

  it('keeps the settings and the secrets of the workflow that it names', async () => {
    const { id } = await fixture.create();
    const hook = (secret: string) =>
      graph([byHand, step('hook', 'ACTION', { kind: 'WEBHOOK', url: 'https://example.com/', secret })]);
    await fixture.configure(id, hook('a real secret'));
    expect(await validate({ workflowId: id, ...hook('***') })).toMatchObject({ valid: true });
    expect(await validate(hook('***'))).toMatchObject({ valid: false, issues: [{ stepId: 'hook' }] });
  });

  it('refuses unknown workflows and those of another organization with WORKFLOW_NOT_FOUND', async () => {
    const { id } = await fixture.create();
    for (const [workflowId, tenant] of [
      [newId('wf'), fixture.tenant],
      [id, fixture.otherTenant],
    ] as const)
      expect(await fixture.refusal('validate_workflow_draft', { workflowId, ...waiting() }, tenant)).toBe(
        'WORKFLOW_NOT_FOUND',
      );
  });
});
