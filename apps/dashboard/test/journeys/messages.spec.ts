import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import { ToolsClient } from '../../../../test/e2e/client.js';
import { describeInBrowser } from '../harness.js';

let sink: SmtpSink;
const reply = '550 5.1.1 There is no such mailbox';
const environment = async () => {
  sink = await SmtpSink.start({
    behave: (to) => (to.startsWith('gone') ? { do: 'refuse', at: 'RCPT', reply } : { do: 'accept' }),
  });
  return { SMTP_URL: sink.url };
};

describeInBrowser({ name: 'messages and deliverability', environment }, (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
    const client = new ToolsClient(fixture().url, fixture().system.apiToken);
    const { senders } = await fixture().call<{ senders: { email: string }[] }>('get_email_senders');
    for (const to of ['here@people.internal', 'gone@people.internal'])
      await client.data('send_email', {
        from: senders[0]!.email,
        to,
        subject: `A receipt for ${to.split('@')[0]}`,
        html: '<p>Thank you for <b>roses</b>.</p>',
        text: 'Thank you for roses.',
      });
    await until('the bounce in the suppressed subscribers', async () => {
      const { total } = await fixture().call<{ total: number }>('list_suppressed_subscribers');
      return total === 1;
    });
  });
  afterAll(() => sink.stop());

  it('finds a message by state and text, with the reply of the server and its content', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1');
    await visit.press('g m');
    await visit.link('here@people.internal').waitFor();
    await visit.click(visit.button('Failed'));
    await visit.link('here@people.internal').waitFor({ state: 'detached' });
    expect(visit.page.url()).toContain('status=FAILED');
    await visit.click(visit.link('gone@people.internal'));
    await visit.heading('A receipt for gone').waitFor();
    await visit.page.getByText(reply).waitFor();
    await visit.page.frameLocator('iframe').getByText('Thank you for roses.').waitFor();
    await visit.click(visit.button('Text'));
    await visit.page.getByText('Thank you for roses.').waitFor();
    expect(visit.page.url()).toContain('view=text');
    await visit.click(visit.link('All messages'));
    await visit.type(visit.page.getByRole('searchbox'), 'receipt for here');
    await visit.link('gone@people.internal').waitFor({ state: 'detached' });
    await visit.link('here@people.internal').waitFor();
    await visit.close();
  });

  it('shows verdicts with value, line and advice, and leads to who is suppressed', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/deliverability');
    const bounces = visit.page.getByRole('listitem').filter({ hasText: 'Bounces' });
    await bounces.getByText('Critical').waitFor();
    await bounces.getByText('50.0% · Line: 5.0%').waitFor();
    await bounces.getByText('Stop campaigns').waitFor();
    await visit.click(visit.button('7 days'));
    expect(visit.page.url()).toContain('days=7');
    await visit.click(visit.link('Suppressed subscribers'));
    const row = visit.page.getByRole('row').filter({ hasText: 'gone@people.internal' });
    await row.getByText(/NO_SUCH_USER/).waitFor();
    await visit.click(visit.link('gone@people.internal'));
    await visit.heading('gone@people.internal').waitFor();
    await visit.close();
  });
});
