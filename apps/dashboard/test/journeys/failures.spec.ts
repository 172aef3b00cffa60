import { beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';
import type { Visit } from '../harness.js';

/** Seconds that a refused call must wait. */
const waitSeconds = 3;

describeInBrowser({ name: 'what goes wrong around a page', inOneProcess: false }, (fixture) => {
  let campaignId: string;

  beforeAll(async () => {
    await fixture().setUp();
    await fixture().call('create_tag', { name: 'customer' });
    ({ campaignId } = await fixture().call<{ campaignId: string }>('create_campaign', {
      name: 'Spring',
      subject: 'Spring',
    }));
  });

  const open = async (address: string): Promise<Visit> => {
    const visit = await fixture().signedIn();
    await visit.open(address);
    await visit.settled();
    return visit;
  };
  const rename = (name: string) => fixture().call('edit_campaign', { id: campaignId, name });
  /** What the status line says about live updates. */
  const isLive = (visit: Visit) => visit.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });

  it('shows in a second tab what the first one changed', async () => {
    const first = await open('/1/tags');
    const second = await first.another('/1/tags');
    await first.click(first.button('New tag'));
    await first.type(first.page.getByRole('dialog').getByRole('textbox'), 'from the first tab');
    await first.press('Enter');
    await second.page.getByText('from the first tab').waitFor();
    await second.click(second.button('Actions for from the first tab'));
    await second.click(second.button('Delete tag'));
    await second.click(second.page.getByRole('dialog').getByRole('button', { name: 'Delete tag' }));
    await first.button('Actions for from the first tab').waitFor({ state: 'detached' });
    await first.close();
  });

  it('shows in every tab what others change, over the stream of one', async () => {
    const first = await open('/1/campaigns');
    const second = await first.another('/1/campaigns');
    await isLive(first);
    await isLive(second);
    await rename('Renamed by another');
    await Promise.all([first, second].map(({ page }) => page.getByText('Renamed by another').waitFor()));
    await first.close();
  });

  it('signs every tab out with the first', async () => {
    const first = await open('/1/tags');
    const second = await first.another('/1/campaigns');
    await first.click(first.page.getByRole('navigation').getByRole('button', { name: 'Ada Lovelace' }));
    await first.click(first.button('Sign out'));
    for (const { page } of [first, second]) {
      await page.waitForURL('**/sign-in');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.getByText('Spring').count()).toBe(0);
    }
    await first.close();
  });

  it.each([
    ['the instant of the reply', { retryAt: true }],
    ['Retry-After alone, as a proxy sends it', { retryAt: false }],
  ])('waits after a 429 for %s, keeps what was typed, and goes on by itself', async (_by, { retryAt }) => {
    const visit = await open('/1/tags');
    const calls: number[] = [];
    await visit.page.route('**/tools/create_tag', async (route) => {
      calls.push(Date.now());
      if (calls.length > 1) return await route.continue();
      const at = new Date(Date.now() + waitSeconds * 1000).toISOString();
      await route.fulfill({
        status: 429,
        headers: { 'retry-after': `${waitSeconds}` },
        json: { success: false, error: 'Too many calls.', code: 'RATE_LIMITED', ...(retryAt && { retryAt: at }) },
      });
    });
    await visit.click(visit.button('New tag'));
    const field = visit.page.getByRole('dialog').getByRole('textbox');
    await visit.type(field, `Kept (${retryAt})`);
    await visit.press('Enter');
    await visit.page.getByText('Too many calls at once. It goes on in').waitFor();
    expect(await field.inputValue()).toBe(`Kept (${retryAt})`);
    expect(await visit.axe()).toEqual([]);
    await visit.button(`Actions for Kept (${retryAt})`).waitFor();
    expect(calls).toHaveLength(2);
    expect(calls[1]! - calls[0]!).toBeGreaterThanOrEqual(waitSeconds * 1000);
    await visit.close();
  });

  it('says which service is away, keeps what was typed, and recovers by itself', async () => {
    const campaigns = await open('/1/tags');
    const { system } = fixture();
    await system.end(system.alive('campaign')[0]!);
    await campaigns.press('g c');
    await campaigns.page.getByText('The campaign service is not responding.').waitFor();
    expect(await campaigns.axe()).toEqual([]);
    // The rest lives on.
    await campaigns.press('g t');
    await campaigns.page.getByText('customer').waitFor();
    await campaigns.press('g c');
    await campaigns.page.getByText('The campaign service is not responding.').waitFor();
    const tags = await campaigns.another('/1/tags');
    await tags.click(tags.button('New tag'));
    await system.end(system.alive('subscriber')[0]!);
    const field = tags.page.getByRole('dialog').getByRole('textbox');
    await tags.type(field, 'Not lost');
    await tags.press('Enter');
    await tags.page.getByRole('dialog').getByText('The subscriber service is not responding.').waitFor();
    expect(await field.inputValue()).toBe('Not lost');
    await Promise.all([system.add('campaign'), system.add('subscriber')]);
    await campaigns.link('Renamed by another').waitFor();
    await tags.press('Enter');
    await tags.button('Actions for Not lost').waitFor();
    await campaigns.close();
  });

  it('says that the live updates are lost, connects again, and shows what was missed', async () => {
    const visit = await open('/1/campaigns');
    await isLive(visit);
    const { system } = fixture();
    const port = new URL(fixture().url).port;
    // The page believes that twenty seconds pass.
    await visit.page.clock.install();
    await system.end(system.alive('gateway')[0]!);
    await visit.page.clock.fastForward(31_000);
    await visit.page.getByText('No live updates.').first().waitFor({ state: 'attached' });
    await system.add('gateway', { PORT: port });
    await rename('Missed by the page');
    await visit.page.clock.runFor(5_000);
    await isLive(visit);
    await visit.page.clock.runFor(5_000);
    await visit.link('Missed by the page').waitFor();
    await visit.close();
  });
});
