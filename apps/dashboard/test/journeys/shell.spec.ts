import { beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';

describeInBrowser('the shell', (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
    await fixture().call('create_tag', { name: 'customer' });
  });

  it('calls the organization of the page while a link to another is loaded ahead', async () => {
    const visit = await fixture().signedIn();
    const { page } = visit;
    // A second membership: what the pages call is what counts here, not what is answered.
    await page.route('**/api/session', async (route) => {
      const reply = await route.fetch();
      const { data } = (await reply.json()) as { data: { organizations: object[] } };
      const second = { id: 'org_2', number: 2, name: 'Second shop', role: 'owner' };
      await route.fulfill({ json: { data: { ...data, organizations: [...data.organizations, second] } } });
    });
    const called: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v2/tools/')) called.push(request.headers()['tidings-organization']);
    });
    await visit.open('/1/tags');
    await page.getByText('customer').first().waitFor();
    await page.getByRole('navigation').getByRole('button').first().click();
    const other = page.getByRole('link', { name: 'Second shop' });
    await other.hover();
    await other.focus();
    await visit.press('Escape');
    await visit.click(visit.button('New tag'));
    await visit.type(page.getByRole('dialog').getByRole('textbox'), 'from the first');
    await visit.press('Enter');
    await page.getByText('from the first').first().waitFor();
    expect(new Set(called)).toEqual(new Set(['1']));
    called.length = 0;
    await page.getByRole('navigation').getByRole('button').first().click();
    await visit.click(other);
    await page.waitForURL('**/2');
    await visit.settled();
    expect(new Set(called)).toEqual(new Set(['2']));
    await visit.close();
  });

  it('leads past the navigation, and to the heading of each page', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1');
    await visit.page.getByRole('link', { name: 'Skip to content' }).focus();
    await visit.press('Enter');
    expect(await visit.page.evaluate(() => document.activeElement?.id)).toBe('content');
    await visit.press('g t');
    await visit.heading('Tags').waitFor();
    expect(await visit.page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(await visit.page.title()).toBe('Tags · Tidings');
    await visit.close();
  });

  it('returns the focus from a dialog, and keeps a form at a click beside it', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/tags');
    await visit.click(visit.button('New tag'));
    await visit.type(visit.page.getByRole('dialog').getByRole('textbox'), 'not lost');
    await visit.page.mouse.click(5, 5);
    expect(await visit.page.getByRole('dialog').getByRole('textbox').inputValue()).toBe('not lost');
    await visit.press('Escape');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await visit.page.evaluate(() => document.activeElement?.textContent)).toBe('New tag');
    await visit.close();
  });

  it('loses a secret that is shown once only to a person who says so', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/settings/tokens');
    await visit.click(visit.button('New token').first());
    await visit.type(visit.field('Name'), 'Shop import');
    await visit.click(visit.button('Create token'));
    await visit.heading('Copy the secret now').waitFor();
    await visit.press('Escape Escape Escape');
    await visit.page.getByText('It cannot be shown again.').waitFor();
    await visit.heading('Copy the secret now').waitFor();
    await visit.click(visit.button('Keep it open'));
    await visit.click(visit.button('I have copied it'));
    await visit.heading('Copy the secret now').waitFor({ state: 'detached' });
    await visit.close();
  });

  it('has no fault for axe on a phone', async () => {
    const visit = await fixture().signedIn({ view: 'phone' });
    await visit.open('/1/tags');
    await visit.settled();
    expect(await visit.axe()).toEqual([]);
    await visit.close();
  });
});
