import { beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId, newUuid } from '#database';
import { describeInBrowser } from '../harness.js';
import type { DashboardFixture, Visit } from '../harness.js';

/** Puts complaints aside in the subscriber service, which can apply them. */
async function putAside(fixture: DashboardFixture, emails: readonly string[]): Promise<void> {
  const client = new Client({
    connectionString: process.env.DATABASE_URL!.replace(/\/[^/?]*(?=\?|$)/, `/${fixture.system.databaseName}`),
  });
  await client.connect();
  try {
    for (const email of emails) {
      await fixture.call('import_subscribers', { subscribers: [{ email }] });
      const { subscriber } = await fixture.call<{ subscriber: { id: string } }>('get_subscriber', { email });
      const data = {
        messageId: newId('msg'),
        subscriberId: subscriber.id,
        campaignId: null,
        campaignName: null,
        subject: 'Hello',
        email,
        at: new Date().toISOString(),
        simulated: false,
        complaintFeedbackType: 'abuse',
        provider: 'example.org',
      };
      const event = { id: newUuid(), name: 'message.complained', organizationId: fixture.system.organizationId, data };
      await client.query(
        `insert into subscriber.dead_letter (dead_letter_id, consumer, event, error, attempts)
         values ($1, 'subscriber', $2, 'Error: the table was locked for too long', 5)`,
        [newUuid(), event],
      );
    }
  } finally {
    await client.end();
  }
}

const emails = ['ada@example.org', 'bob@example.org', 'cy@example.org'];

describeInBrowser('the pages of the installation', (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
    await putAside(fixture(), emails);
  });

  const open = async (address: string): Promise<Visit> => {
    const visit = await fixture().signedIn();
    await visit.open(address);
    await visit.settled();
    return visit;
  };
  const statusOf = async (email: string) =>
    (await fixture().call<{ subscriber: { status: string } }>('get_subscriber', { email })).subscriber.status;

  it('show which services respond, and lead from the number of dead letters to them', async () => {
    const visit = await open('/installation');
    const services = visit.page.getByRole('region', { name: 'Services' });
    await services.getByText('3 dead letters').waitFor();
    expect(await services.getByText('Responds', { exact: true }).count()).toBe(6);
    await visit.click(visit.link('Show'));
    await visit.heading('Dead letters').waitFor();
    await visit.settled();
    expect(await visit.page.getByRole('row').count()).toBe(4);
    expect(await visit.axe()).toEqual([]);
    await visit.close();
  });

  it('show a dead letter with its payload, and apply it again after a confirmation', async () => {
    const visit = await open('/installation/dead-letters');
    await visit.click(visit.button('message.complained').first());
    await visit.page.getByText('"ada@example.org"').waitFor();
    await visit.click(visit.button('Apply again'));
    expect(await statusOf('ada@example.org')).toBe('SUBSCRIBED');
    await visit.click(visit.button('Apply 1 again'));
    await visit.page.getByText('1 event was applied.').last().waitFor();
    expect(await statusOf('ada@example.org')).toBe('COMPLAINED');
    await visit.close();
  });

  it('apply or discard what is selected', async () => {
    const visit = await open('/installation/dead-letters?service=subscriber');
    await visit.click(visit.page.getByLabel('Select', { exact: true }).first());
    await visit.click(visit.button('Discard'));
    await visit.type(visit.field('Reason'), 'The complaint was a test.');
    await visit.click(visit.button('Discard 1'));
    // The button of the question has the same name.
    const question = visit.page.getByRole('dialog').filter({ hasText: 'Discards 1 event' });
    await visit.click(question.getByRole('button', { name: 'Discard 1' }));
    await visit.page.getByText('1 event is discarded.').last().waitFor();
    await visit.click(visit.button('Apply all of subscriber again').first());
    await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Apply all of subscriber again' }));
    await visit.page.getByText('1 event was applied.').last().waitFor();
    await visit.page.getByText('Nothing found').waitFor();
    expect((await Promise.all(emails.map(statusOf))).filter((status) => status === 'COMPLAINED')).toHaveLength(2);
    await visit.close();
  });

  it('change the plan and the limits of an organization', async () => {
    const visit = await open('/installation/organizations');
    await visit.click(visit.button(/^Change limits of/));
    await visit.page.getByLabel('Plan').selectOption('PREMIUM');
    await visit.page.getByLabel('Subscribers', { exact: true }).selectOption('own');
    await visit.type(visit.field('Value of: Subscribers'), '5000');
    expect(await visit.axe()).toEqual([]);
    await visit.click(visit.button('Change limits').last());
    await visit.page
      .getByText(/^The limits of .* are changed\.$/)
      .last()
      .waitFor();
    expect(await fixture().call('get_organization')).toMatchObject({ plan: 'PREMIUM', quotas: { contacts: 5000 } });
    await visit.close();
  });

  it('are refused to who is no operator', async () => {
    const visit = await fixture().signedIn();
    await visit.page.route('**/api/session', async (route) => {
      const reply = await route.fetch();
      const body = (await reply.json()) as { data: { user: { operator: boolean } } };
      body.data.user.operator = false;
      await route.fulfill({ response: reply, json: body });
    });
    await visit.open('/installation');
    await visit.heading('Only operators see this page').waitFor();
    await visit.close();
  });
});
