import { beforeAll, expect, it } from '@jest/globals';
import { until } from '#testing';
import { describeInBrowser } from '../harness.js';
import type { Visit } from '../harness.js';
import { makeWorkflow } from '../screens/workflow-sample.js';

interface Read {
  workflow: {
    id: string;
    name: string;
    status: string;
    updatedAt: string;
    draft: { steps: { id: string; type: string; config: Record<string, unknown> }[]; edges: object[] };
    stats: { canceled: number };
  };
}

describeInBrowser('workflows', (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
  });

  const read = async (workflowId: string) => (await fixture().call<Read>('get_workflow', { workflowId })).workflow;
  const steps = (visit: Visit) => visit.page.locator('main [data-step]');

  it('starts from a draft, and builds a workflow by the keyboard alone', async () => {
    const visit = await fixture().signedIn();
    await visit.refusePointer();
    await visit.open('/1/workflows');
    await visit.settled();
    await visit.press('c');
    await visit.write('By keys');
    await visit.tabTo(visit.page.getByRole('radio', { name: /^Nothing/ }));
    await visit.press('ArrowDown Enter');
    await visit.heading(/^By keys/).waitFor();
    await visit.page.goto(`${visit.page.url()}?view=outline`);
    await visit.settled();
    await visit.tabTo(steps(visit).first());
    await visit.press('ArrowDown ArrowDown');
    expect(await visit.page.locator(':focus').innerText()).toMatch(/^Wait 3 days/);
    await visit.press('Alt+ArrowDown');
    await visit.page.waitForFunction(() => document.activeElement?.textContent?.startsWith('Wait'));
    expect(await steps(visit).allInnerTexts()).toEqual([
      expect.stringMatching(/^They subscribe/),
      expect.stringMatching(/^Welcome/),
      expect.stringMatching(/^Second mail/),
      expect.stringMatching(/^Wait/),
    ]);
    await visit.press('Delete');
    await visit.page.getByText('1 step is removed.').first().waitFor();
    expect(await steps(visit).count()).toBe(3);
    await visit.press('Control+z Control+z');
    await visit.press('ArrowUp');
    await visit.page.getByText(/^Saved/).waitFor();
    expect((await steps(visit).allInnerTexts())[2]).toMatch(/^Wait/);
    await visit.tabTo(visit.page.locator('main [data-step][tabindex="0"]'));
    await visit.press('Home');
    await visit.page.locator('[data-step]:focus', { hasText: 'They subscribe' }).waitFor();
    await visit.press('Enter');
    await visit.tabTo(visit.button('Add step'));
    await visit.press('Enter');
    await visit.page.locator('dialog button:focus').waitFor();
    await visit.tabTo(visit.page.getByRole('dialog').getByRole('button', { name: /^Action/ }));
    await visit.press('Enter');
    // It needs a tag: the draft is not saved until it has one.
    await visit.page.getByText('1 problem').first().waitFor();
    await visit.page.getByText('Not saved yet: it stays in this tab until its problems are solved').waitFor();
    expect(await visit.button('Publish').isDisabled()).toBe(true);
    await visit.close();
  });

  it('saves what is changed, compares with what others saved, and publishes it', async () => {
    const workflowId = await makeWorkflow(fixture(), 'Changed twice', 2);
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/build?view=outline&step=pause`);
    await visit.type(visit.field('How long'), '7');
    await visit.page.getByText(/^Saved \d/).waitFor();
    const saved = await read(workflowId);
    expect(saved.draft.steps.find(({ id }) => id === 'pause')!.config).toEqual({ amount: 7, unit: 'DAYS' });
    await visit.page.getByText('Changed: “Wait 3 days” is now “Wait 7 days”').waitFor();
    const theirs = saved.draft.steps.map((step) =>
      step.id === 'pause' ? { ...step, config: { amount: 9, unit: 'DAYS' } } : step,
    );
    await fixture().call('configure_workflow_draft', {
      workflowId,
      expectedUpdatedAt: saved.updatedAt,
      steps: theirs,
      edges: saved.draft.edges,
    });
    await visit.type(visit.field('How long'), '8');
    await visit.click(visit.button('Take that version'));
    await visit.button(/^Wait 9 days/).waitFor();
    await visit.page.keyboard.press('Control+Enter');
    await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Publish version 2' }));
    await visit.page.getByText('Version 2 is published.').first().waitFor();
    await visit.close();
  });

  it('writes the mail of a step in the editor of campaigns, and takes changes back', async () => {
    const workflowId = await makeWorkflow(fixture(), 'With mails', 1);
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/build?view=outline&step=b`);
    await visit.settled();
    const chunks = () =>
      visit.page.evaluate(() =>
        performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/step-mail')),
      );
    expect(await chunks()).toEqual([]);
    await visit.click(visit.button('Write the mail'));
    await visit.heading('Mail “Three things to try first”').waitFor();
    expect(await visit.page.locator(':focus').innerText()).toMatch(/^Mail “Three/);
    expect(await chunks()).toHaveLength(1);
    await visit.click(visit.button('Write it in the visual editor'));
    const body = visit.page.getByRole('textbox', { name: 'Body of the mail' });
    await body.getByText('Write your message here.').click();
    await visit.press('End');
    await visit.write(' Sow in March.');
    await visit.type(visit.field('Subject'), 'What to sow');
    const frame = visit.page.frameLocator('iframe[title="The mail as recipients see it"]');
    await frame.getByText('Write your message here. Sow in March.').waitFor();
    await visit.page.getByText(/^Saved \d/).waitFor();
    await visit.click(visit.button('Undo'));
    await visit.page.getByText('Three things to try first').first().waitFor();
    await visit.click(visit.button('Undo'));
    await visit.click(visit.button('Undo'));
    expect(await visit.field('Markdown source').inputValue()).toMatch(/^It is good to have you here/);
    await visit.click(visit.button('Redo'));
    await body.getByText('Write your message here.').waitFor();
    await visit.type(visit.field('Reply to'), 'no address');
    await visit.page
      .getByText(/address/i, { exact: false })
      .locator('visible=true')
      .first()
      .waitFor();
    await visit.type(visit.field('Reply to'), '');
    await visit.page.getByText(/^Saved \d/).waitFor();
    const { steps: stored } = (await read(workflowId)).draft;
    expect(stored.find(({ id }) => id === 'b')!.config).toHaveProperty('campaignId');
    const { workflow } = await fixture().call<{ workflow: { emails: { stepId: string; contentType: string }[] } }>(
      'get_workflow',
      { workflowId },
    );
    expect(workflow.emails.find(({ stepId }) => stepId === 'b')!.contentType).toBe('MAILY');
    await visit.click(visit.button('Back to the step'));
    await visit.page.locator('button:focus', { hasText: 'Write the mail' }).waitFor();
    expect(new URL(visit.page.url()).searchParams.get('step')).toBe('b');
    await visit.close();
  });

  it('draws the rows of a long outline that are in sight, and goes to all of them by keys', async () => {
    const { workflowId, workflow } = await fixture().call<Read & { workflowId: string }>('create_workflow', {
      name: 'Long',
    });
    const all = Array.from({ length: 499 }, (_, n) => `wait-${n}`);
    await fixture().call('configure_workflow_draft', {
      workflowId,
      expectedUpdatedAt: workflow.updatedAt,
      steps: [
        { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
        ...all.map((id, n) => ({ id, type: 'WAIT', name: `Step ${n}`, config: { amount: 1, unit: 'DAYS' } })),
      ],
      edges: all.map((target, n) => ({ source: n === 0 ? 'start' : all[n - 1], target })),
    });
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/build?view=outline`);
    await visit.settled();
    expect(await steps(visit).count()).toBeLessThan(60);
    await visit.tabTo(steps(visit).first());
    await visit.press('End');
    await visit.page.locator(':focus', { hasText: 'Step 498' }).waitFor();
    const last = visit.page.getByRole('listitem').filter({ hasText: 'Step 498' });
    expect(await last.getAttribute('aria-posinset')).toBe('500');
    expect(await last.getAttribute('aria-setsize')).toBe('500');
    for (let n = 0; n < 40; n++) await visit.press('ArrowUp');
    await visit.page.locator(':focus', { hasText: 'Step 458' }).waitFor();
    expect(await visit.page.locator(':focus').evaluate((one) => one.getBoundingClientRect().top)).toBeGreaterThan(0);
    await visit.press('Delete');
    await visit.page.locator(':focus', { hasText: 'Step 457' }).waitFor();
    await visit.close();
  });

  it('shows who waits at a step, ends a wait, removes a subscriber and adds others', async () => {
    const workflowId = await makeWorkflow(fixture(), 'With runs', 2);
    await fixture().call('import_subscribers', { subscribers: [{ email: 'added@people.internal' }] });
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/runs?view=outline`);
    await visit.click(visit.button(/^Wait 3 days.*2 waiting/));
    await visit.heading('Subscribers at “Wait 3 days”').waitFor();
    await visit.click(visit.button('waiting0@people.internal'));
    await visit.page.getByText(/^waiting ·/).waitFor();
    await visit.click(visit.button('End the wait now'));
    await visit.click(visit.button('End the wait now'));
    await visit.page.getByText('waiting0@people.internal goes on at the next step.').first().waitFor();
    await visit.click(visit.button('waiting1@people.internal'));
    await visit.click(visit.button('Remove from the workflow'));
    await visit.click(visit.button('Remove from the workflow'));
    await visit.page.getByText('waiting1@people.internal is removed.').first().waitFor();
    await until('the run to be canceled', async () => (await read(workflowId)).stats.canceled === 1);
    const slider = visit.page.getByRole('slider');
    await slider.focus();
    await visit.press('ArrowLeft');
    await visit.page.waitForURL(/at=/);
    await visit.click(visit.button('Add subscribers'));
    await visit.page.getByLabel('First step').selectOption({ label: 'Wait 3 days' });
    await visit.click(visit.button('Check'));
    await visit.click(visit.button(/^Add \d+ subscribers?$/));
    await visit.page
      .getByText(/subscribers? (?:is|are) added/)
      .first()
      .waitFor();
    await visit.close();
  });

  it('changes settings and groups, pauses and deletes', async () => {
    const workflowId = await makeWorkflow(fixture(), 'With settings', 1);
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/settings`);
    await visit.page.getByLabel('May a subscriber enter again?').selectOption('ALWAYS');
    await visit.page.getByText('Version 1: No, once only').waitFor();
    await visit.click(visit.button('Add goal'));
    await visit.type(visit.field(/^Name/), 'First payment');
    const goal = visit.page.getByRole('group', { name: 'First payment' });
    await goal.getByLabel('What', { exact: true }).selectOption('EVENT');
    // An event needs its type: the API says so at the field.
    await goal.getByText(/required/).waitFor();
    expect(await visit.button('Save').isDisabled()).toBe(true);
    await goal.getByLabel('Type of the event').fill('SUBSCRIBER_PAYMENT');
    await visit.click(visit.button('Add exit rule'));
    await visit.click(visit.page.getByRole('checkbox', { name: 'Send mails at these times only' }));
    await visit.click(visit.page.getByRole('checkbox', { name: 'Sun' }));
    await visit.click(visit.button('Undo'));
    await visit.click(visit.button('Save'));
    await visit.page.getByText('The settings are saved in the draft.').first().waitFor();
    expect(await read(workflowId)).toMatchObject({
      settings: {
        reentry: 'ALWAYS',
        exitRules: [{ event: { kind: 'EMAIL_CLICKED' } }],
        sendWindow: { from: '09:00', to: '18:00', weekdays: [1, 2, 3, 4, 5, 6, 7] },
      },
      successGoals: [{ name: 'First payment', event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' } }],
    });
    await visit.open('/1/workflow-groups');
    await visit.click(visit.button('New group').first());
    await visit.type(visit.field(/^Name$/), 'One at a time');
    await visit.click(visit.page.getByRole('radio', { name: /^The first one stays/ }));
    await visit.click(visit.button('Create group'));
    await visit.click(visit.button('Actions for One at a time'));
    await visit.click(visit.page.getByRole('button', { name: 'Delete group' }));
    await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Delete group' }));
    await visit.button('Actions for One at a time').waitFor({ state: 'detached' });
    await visit.open('/1/workflows?q=settings');
    await visit.click(visit.button('Actions for With settings'));
    await visit.click(visit.button('Pause'));
    await visit.page.getByText('With settings is paused.').first().waitFor();
    expect((await read(workflowId)).status).toBe('PAUSED');
    await visit.close();
  });
});
