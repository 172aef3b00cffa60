import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SmtpSink } from '#testing';
import { describeInBrowser } from '../harness.js';
import type { Account, Visit } from '../harness.js';
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

  const draft = async (name: string): Promise<string> => {
    const mail = { contentType: 'MARKDOWN', content: 'Hello.\n\n[Unsubscribe]({{unsubscribeUrl}})' };
    return (await fixture().call<{ campaignId: string }>('create_campaign', { name, subject: name, ...mail }))
      .campaignId;
  };
  const open = async (address: string): Promise<Visit> => {
    const visit = await fixture().signedIn({ person: editor });
    await visit.open(address);
    await visit.settled();
    return visit;
  };
  const notices = (visit: Visit) => visit.page.getByRole('region', { name: 'Notices' });
  const waits = (visit: Visit) => visit.page.getByText(/^Waits for approval since .*, asked by The editor\.$/);

  it('asks for a send, and the page stays with a link to the approval', async () => {
    const visit = await open(`/1/campaigns/${await draft('Asked for')}/review`);
    await visit.click(visit.button('Ask for approval'));
    await visit.click(notices(visit).getByRole('link'));
    await visit.heading('Approvals').waitFor();
    await visit.page.getByText('Asked for').first().waitFor();
    await visit.close();
  });

  it('sees on the campaign that it waits, and withdraws what was asked', async () => {
    const visit = await open(`/1/campaigns/${await draft('Taken back')}/review`);
    await visit.click(visit.button('Ask for approval'));
    await waits(visit).waitFor();
    expect(await visit.button('Ask for approval').count()).toBe(0);
    await visit.page.locator('[data-waiting]').getByRole('link', { name: 'Open' }).waitFor();
    expect(await visit.axe()).toEqual([]);
    await visit.click(visit.button('Withdraw'));
    await visit.button('Ask for approval').waitFor();
    expect(await waits(visit).count()).toBe(0);
    await visit.close();
  });

  it('has its send start after a delay, within which the approver undoes it', async () => {
    const campaignId = await draft('Undone');
    const asking = await open(`/1/campaigns/${campaignId}/review`);
    await asking.click(asking.button('Ask for approval'));
    await waits(asking).waitFor();
    await asking.close();
    const visit = await fixture().signedIn();
    await visit.open(`/1/campaigns/${campaignId}/review`);
    await visit.click(visit.page.locator('[data-waiting]').getByRole('link', { name: 'Open' }));
    await visit.click(visit.button('Approve and do it'));
    await notices(visit)
      .getByText(/^Approved. Sending starts in \d+ seconds\.$/)
      .waitFor();
    await visit.click(notices(visit).getByRole('button', { name: 'Undo' }));
    await notices(visit).getByText('Nothing was sent. The campaign is a draft again.').waitFor();
    const { campaign } = await fixture().call<{ campaign: { status: string } }>('get_campaign', { campaignId });
    expect(campaign.status).toBe('DRAFT');
    await visit.close();
  });

  it('asks for the publication of a workflow, which says that it waits', async () => {
    const visit = await open(`/1/workflows/${await makeWorkflow(fixture(), 'Welcome', 1)}/build`);
    expect(await visit.button('Publish').count()).toBe(0);
    await visit.click(visit.button('Ask for approval'));
    await notices(visit).getByRole('link').waitFor();
    await waits(visit).waitFor();
    expect(await visit.button('Ask for approval').count()).toBe(0);
    await visit.close();
  });
});
