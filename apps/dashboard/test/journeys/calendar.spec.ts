import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SmtpSink } from '#testing';
import { ToolsClient } from '../../../../test/e2e/client.js';
import { describeInBrowser } from '../harness.js';
import type { DashboardFixture } from '../harness.js';
import { callAsOwner } from '../owner-calls.js';

let sink: SmtpSink;
const environment = async () => {
  sink = await SmtpSink.start({ forget: true });
  return { SMTP_URL: sink.url };
};
/** A year whose days lie ahead of every clock. */
const year = new Date().getUTCFullYear() + 1;

async function makeCampaign(fixture: DashboardFixture, name: string): Promise<string> {
  const { campaignId } = await fixture.call<{ campaignId: string }>('create_campaign', {
    name,
    subject: name,
    contentType: 'MARKDOWN',
    content: 'Hello.\n\n[Unsubscribe]({{unsubscribeUrl}})',
  });
  return campaignId;
}

describeInBrowser({ name: 'the calendar of campaigns', environment }, (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
    await callAsOwner(fixture(), 'update_organization', { timezone: 'Pacific/Auckland' });
    const client = new ToolsClient(fixture().url, fixture().system.apiToken);
    await fixture().call('import_subscribers', { subscribers: [{ email: 'ada@people.internal' }] });
    const at = async (name: string, date: string, hours: number) => {
      const campaignId = await makeCampaign(fixture(), name);
      // In UTC, so that the day in Auckland is the next one from 12:00 on.
      await client.data('schedule_campaign', { campaignId, date, hours, minutes: 30, timezone: 'UTC' });
    };
    await at('Early', `${year}-06-09`, 9);
    for (const name of ['Late', 'Frühlingsneuigkeiten aus dem Gewächshaus der Stadtgärtnerei', 'Third'])
      await at(name, `${year}-06-09`, 13);
    await client.data('schedule_campaign', { campaignId: await makeCampaign(fixture(), 'At once') });
  });
  afterAll(() => sink.stop());

  it('shows campaigns on the days of the organization, and leads to each', async () => {
    const visit = await fixture().signedIn();
    await visit.open(`/1/campaigns?layout=calendar&month=${year}-06`);
    await visit.page.getByText('4 × Scheduled').waitFor();
    await visit.page.getByText('Days and hours in the time zone Pacific/Auckland (yours is Europe/Berlin)').waitFor();
    const day = (date: string) => visit.page.locator(`[data-day="${year}-06-${date}"]`);
    expect(await day('09').getByRole('link').allInnerTexts()).toEqual(['Early\n21:30 Scheduled']);
    expect(await day('10').getByText('1 more').count()).toBe(1);
    expect(await visit.axe()).toEqual([]);
    await day('10').click({ position: { x: 100, y: 10 } });
    await visit.page.getByRole('region').getByRole('link', { name: 'Third' }).click();
    await visit.heading('Third').waitFor();
    await visit.close();
  });

  it('moves by keys over days and months, and keeps the month in the address', async () => {
    const visit = await fixture().signedIn();
    await visit.open(`/1/campaigns?layout=calendar&month=${year}-06`);
    await visit.page.locator(`[data-day="${year}-06-01"]`).focus();
    await visit.press('ArrowDown ArrowRight');
    expect(await visit.page.evaluate(() => document.activeElement?.getAttribute('data-day'))).toBe(`${year}-06-09`);
    await visit.press('PageDown');
    await visit.page.locator(`[data-day="${year}-07-09"]:focus`).waitFor();
    expect(visit.page.url()).toContain(`month=${year}-07`);
    await visit.page.getByText(`No campaign starts in July ${year}.`).waitFor();
    await visit.press('PageUp');
    await visit.page.locator(`[data-day="${year}-06-09"]:focus`).waitFor();
    await visit.press('Tab');
    await visit.page.locator('a:focus', { hasText: 'Early' }).waitFor();
    await visit.press('Enter');
    await visit.heading('Early').waitFor();
    await visit.close();
  });

  it('shows what was sent this month, and an agenda on a phone', async () => {
    const visit = await fixture().signedIn({ view: 'phone', scheme: 'dark' });
    await visit.open('/1/campaigns?layout=calendar');
    await visit.link(/^At once/).waitFor();
    expect(await visit.page.getByRole('grid').count()).toBe(0);
    await visit.click(visit.button('Next month'));
    await visit.page.getByText(/^No campaign starts in/).waitFor();
    expect(await visit.axe()).toEqual([]);
    expect(await visit.scrollsSideways()).toBe(false);
    await visit.close();
  });
});
