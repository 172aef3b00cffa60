import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SmtpSink } from '#testing';
import { describeInBrowser } from '../harness.js';
import type { Account } from '../harness.js';
import { joinAs } from '../owner-calls.js';
import { makeWorkflow } from '../screens/workflow-sample.js';

let sink: SmtpSink;
const environment = async () => {
  sink = await SmtpSink.start({});
  return { SMTP_URL: sink.url };
};

describeInBrowser({ name: 'an editor, who asks for what sends', environment }, (fixture) => {
  let editor: Account;

  beforeAll(async () => {
    await fixture().setUp();
    editor = await joinAs(fixture(), sink, 'editor');
    await fixture().call('import_subscribers', { subscribers: [{ email: 'one@people.internal', tags: ['few'] }] });
  });

  afterAll(() => sink.stop());

  it('asks for a send, and the page stays with a link to the approval', async () => {
    const { campaignId } = await fixture().call<{ campaignId: string }>('create_campaign', {
      name: 'Asked for',
      subject: 'Asked for',
      contentType: 'MARKDOWN',
      content: 'Hello.\n\n[Unsubscribe]({{unsubscribeUrl}})',
    });
    const visit = await fixture().signedIn({ person: editor });
    await visit.open(`/1/campaigns/${campaignId}/review`);
    await visit.settled();
    await visit.click(visit.button('Ask for approval'));
    await visit.click(visit.page.getByRole('region', { name: 'Notices' }).getByRole('link'));
    await visit.heading('Approvals').waitFor();
    await visit.page.getByText('Asked for').first().waitFor();
    await visit.close();
  });

  it('asks for the publication of a workflow', async () => {
    const workflowId = await makeWorkflow(fixture(), 'Welcome', 1);
    const visit = await fixture().signedIn({ person: editor });
    await visit.open(`/1/workflows/${workflowId}/build`);
    await visit.settled();
    await visit.click(visit.button('Publish'));
    await visit.page.getByRole('region', { name: 'Notices' }).getByRole('link').waitFor();
    expect(await visit.heading(/^Welcome/).count()).toBe(1);
    await visit.close();
  });
});
