import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from '@jest/globals';
import { ToolsClient } from '../../../../test/e2e/client.js';
import { describeInBrowser } from '../harness.js';
import type { Visit } from '../harness.js';

interface Workflow {
  workflow: { id: string; updatedAt: string };
}

describeInBrowser('a beginner', (fixture) => {
  beforeAll(() => fixture().setUp());

  const dialog = (visit: Visit) => visit.page.getByRole('dialog').last();

  it('downloads the refused rows of an import whole, and reads their reasons after it', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers/import');
    await visit.click(visit.button('Paste rows'));
    await visit.type(
      visit.page.getByRole('textbox', { name: 'Rows' }),
      'email,name\nbad-one,Bad\nokay.ninety-nine@post.example.org,Okay\n,Noaddr\nokay.ninety-nine@post.example.org,Late\n',
    );
    await visit.click(visit.button('Continue'));
    await visit.click(visit.button('Check'));
    await visit.page.getByText('Same address as an earlier row').waitFor();
    await visit.page.getByRole('cell', { name: '3, 5' }).waitFor();
    await visit.click(visit.button(/^Import \d/));
    await visit.heading('The import is done').waitFor();
    await visit.click(visit.page.getByText('Address is missing'));
    const link = visit.link('Download the refused rows');
    // Links lead to the public address, which the system of a test does not have.
    await link.evaluate((one: HTMLAnchorElement) => one.setAttribute('href', new URL(one.href).pathname));
    const [download] = await Promise.all([visit.page.waitForEvent('download'), visit.click(link)]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => line.split(',').slice(0, 2).join())).toEqual([
      'line,code',
      '2,EMAIL_INVALID',
      '4,EMAIL_MISSING',
    ]);
    await visit.close();
  });

  it('keeps a tag that is typed and not chosen', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers');
    await visit.press('c');
    await visit.type(dialog(visit).getByRole('textbox', { name: /^Email/ }), 'typed@example.org');
    await visit.type(dialog(visit).getByRole('combobox'), 'vip');
    await visit.click(dialog(visit).getByRole('button', { name: /^Add/ }).last());
    await visit.heading('typed@example.org').waitFor();
    const { subscriber } = await fixture().call<{ subscriber: { tags: { name: string }[] } }>('get_subscriber', {
      email: 'typed@example.org',
    });
    expect(JSON.stringify(subscriber)).toContain('vip');
    await visit.close();
  });

  it('creates the tag of a trigger where it is typed, and adds a step to each open branch', async () => {
    const { workflow } = await fixture().call<Workflow>('create_workflow', { name: 'Trial follow-up' });
    await fixture().call('configure_workflow_draft', {
      workflowId: workflow.id,
      expectedUpdatedAt: workflow.updatedAt,
      steps: [{ id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED' } }],
      edges: [],
    });
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflow.id}/build?view=graph&step=start`);
    await visit.page.getByText('any tag counts').waitFor();
    await visit.type(visit.page.getByRole('combobox', { name: /^Tags/ }), 'trial');
    await visit.click(visit.page.getByRole('option', { name: 'Create the tag “trial”' }));
    await visit.page.locator('main [data-step]', { hasText: 'Tag added: trial' }).waitFor();
    await visit.click(visit.button('Add a step after “Tag added: trial”'));
    expect(await dialog(visit).evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(false);
    await visit.click(dialog(visit).getByRole('button', { name: /^Condition/ }));
    await visit.page.getByText('Nothing follows yet.').first().waitFor();
    await visit.page.getByText('Not saved yet: it stays in this tab').waitFor();
    await visit.button(/^Add a step: “Yes” of/).waitFor();
    await visit.click(visit.button(/^Add a step: “No” of/));
    await visit.click(dialog(visit).getByRole('button', { name: /^Wait Waits for a time/ }));
    await visit.page.getByText(/^Saved \d/).waitFor();
    await visit.button(/^Add a step: “Yes” of/).waitFor();
    await visit.click(visit.page.locator('main [data-step]', { hasText: 'Condition' }));
    await visit.click(visit.button('Add step: Yes'));
    await visit.click(dialog(visit).getByRole('button', { name: /^End/ }));
    await visit.page.getByText(/^Saved \d/).waitFor();
    const tabs = visit.page.getByRole('navigation', { name: 'Parts of the workflow' });
    expect(await tabs.evaluate((one) => getComputedStyle(one).overflowY)).toBe('hidden');
    await visit.click(visit.button('Publish'));
    await visit.page.getByText('when the tag "trial" is added').waitFor();
    await visit.close();
  });

  it('reads the history of a run by the version that it began with', async () => {
    const minutes = (amount: number) => ({
      steps: [
        { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
        { id: 'pause', type: 'WAIT', config: { amount, unit: 'HOURS' } },
      ],
      edges: [{ source: 'start', target: 'pause' }],
    });
    const { workflow } = await fixture().call<Workflow>('create_workflow', { name: 'Twice published' });
    const workflowId = workflow.id;
    const publish = async (hours: number) => {
      const { workflow: now } = await fixture().call<Workflow>('get_workflow', { workflowId });
      const draft = { workflowId, expectedUpdatedAt: now.updatedAt, ...minutes(hours) };
      await fixture().call('configure_workflow_draft', draft);
      await new ToolsClient(fixture().url, fixture().system.apiToken).data('publish_workflow', { workflowId });
    };
    await publish(1);
    await fixture().call('add_subscriber', { email: 'first@example.org' });
    await fixture().call('add_subscriber_to_workflow', { workflowId, email: 'first@example.org' });
    await publish(2);
    const visit = await fixture().signedIn();
    await visit.open(`/1/workflows/${workflowId}/runs`);
    await visit.page.getByText('Wait 1 hour').first().waitFor();
    await visit.click(visit.page.getByText('first@example.org').first());
    await dialog(visit).getByText('Version 1').waitFor();
    await dialog(visit).getByText('Wait 1 hour').waitFor();
    expect(await dialog(visit).getByText('Wait 2 hours').count()).toBe(0);
    await visit.close();
  });

  it('filters by a custom field under its name', async () => {
    await fixture().call('add_subscriber', { email: 'gold@example.org', fields: { 'Loyalty level': 'gold' } });
    const visit = await fixture().signedIn();
    await visit.open('/1/segments/new');
    await visit.page.getByLabel('Field', { exact: true }).selectOption({ label: 'Loyalty level' });
    await visit.type(visit.page.getByRole('textbox', { name: 'value' }), 'gold');
    await visit.page.getByText('Loyalty level is gold').waitFor();
    await visit.close();
  });
});
