import { beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';
import type { Visit } from '../harness.js';

interface Read {
  workflowId: string;
  workflow: { id: string; updatedAt: string };
}

const steps = (days: number) => [
  { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: ['customer'] } },
  {
    id: 'vip',
    type: 'CONDITION',
    config: { filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }] },
  },
  { id: 'offer', type: 'EMAIL', config: { subject: 'An offer', contentType: 'MARKDOWN', content: 'Hello.' } },
  { id: 'pause', type: 'WAIT', config: { amount: days, unit: 'DAYS' } },
];
const edges = [
  { source: 'start', target: 'vip' },
  { source: 'vip', target: 'offer', branch: 'TRUE' },
  { source: 'vip', target: 'pause', branch: 'FALSE' },
];

describeInBrowser('a simulation of a workflow', (fixture) => {
  let workflowId: string;
  const save = async (days: number) => {
    const { workflow } = await fixture().call<Read>('get_workflow', { workflowId });
    await fixture().call('configure_workflow_draft', {
      workflowId,
      expectedUpdatedAt: workflow.updatedAt,
      steps: steps(days),
      edges,
    });
  };
  beforeAll(async () => {
    await fixture().setUp();
    await fixture().call('get_or_create_tags', { names: ['customer', 'vip'] });
    for (const [name, ...tags] of [
      ['ada', 'vip', 'customer'],
      ['bob', 'customer'],
      ['cy', 'customer'],
      ['dee', 'vip'],
    ])
      await fixture().call('add_subscriber', { email: `${name}@people.internal`, tags });
    ({ workflowId } = await fixture().call<Read>('create_workflow', { name: 'Offers' }));
    await save(3);
  });

  const value = (visit: Visit, name: string) => visit.page.locator(`dt:has-text("${name}") + dd`).first().innerText();

  it('plays a draft, shows its numbers at the steps, and explains an example', async () => {
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/build`);
    await visit.click(visit.page.getByRole('link', { name: 'Simulate' }));
    await visit.page.getByText('Not simulated yet').waitFor();
    await visit.click(visit.button('Simulate'));
    await visit.button('Simulate again').waitFor();
    await visit.page.getByText('Would have entered').waitFor();
    await visit.page.waitForFunction(() => document.querySelector('[role=progressbar]') === null);
    expect(await value(visit, 'Would have entered')).toBe('3');
    expect(await value(visit, 'Mails')).toBe('1');
    expect(await value(visit, 'Still waiting')).toBe('2');
    const outline = visit.page.locator('main [data-step]');
    await visit.click(visit.button('Outline'));
    await outline.nth(3).waitFor();
    expect(await outline.allInnerTexts()).toEqual([
      expect.stringMatching(/3 in/),
      expect.stringMatching(/3 in/),
      expect.stringMatching(/An offer[^]*1 mail/),
      expect.stringMatching(/2 in[^]*2 waiting/),
    ]);
    await visit.click(outline.nth(1));
    const outcomes = visit.page.getByRole('region', { name: /^What came of/ });
    await outcomes.getByRole('listitem').nth(1).waitFor();
    expect((await outcomes.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/1$/),
      expect.stringMatching(/2$/),
    ]);
    await visit.click(visit.button(/^ada@people\.internal/));
    const path = visit.page.getByRole('dialog').getByRole('listitem');
    await path.nth(2).waitFor();
    expect(await path.allInnerTexts()).toEqual([
      expect.stringContaining('The event TAG_ADDED started the run.'),
      expect.stringContaining('The subscriber meets the filters.'),
      expect.stringContaining('The mail would have been sent.'),
    ]);
    await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Close' }).last());
    await visit.page.getByText('No simulated mail is opened, clicked or bounced.').waitFor();
    await visit.close();
  });

  it('says that the draft was changed since, and refuses more than 31 days with the rule', async () => {
    await save(5);
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/simulation?view=outline`);
    await visit.page.getByText('The draft was changed after this simulation.').waitFor();
    await visit.field('Events of').selectOption('days');
    await visit.field('From').fill('2026-01-01');
    await visit.click(visit.button('Simulate again'));
    await visit.page.getByText('from and to may be at most 31 days apart.').waitFor();
    await visit.close();
  });
});
