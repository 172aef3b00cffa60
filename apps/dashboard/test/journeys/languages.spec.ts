import { beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';
import type { View, Visit } from '../harness.js';

const addresses = [
  '/1',
  '/1/subscribers',
  '/1/campaigns',
  '/1/tags',
  '/1/approvals',
  '/1/settings/members',
  '/account/security',
];

describeInBrowser('languages', (fixture) => {
  beforeAll(() => fixture().setUp());

  const speaking = async (language: string, view: View = 'desktop'): Promise<Visit> => {
    const visit = await fixture().signedIn({ view });
    await visit.page.addInitScript((name) => localStorage.setItem('tidings.language', name), language);
    return visit;
  };
  const root = (visit: Visit) =>
    visit.page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
  const scrollsSideways = (visit: Visit) =>
    visit.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);

  it('are chosen in the menu of the user, and kept', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/tags');
    await visit.click(visit.page.getByRole('button', { name: 'Ada Lovelace' }));
    await visit.page.getByLabel('Language').selectOption('Deutsch');
    await visit.page.getByRole('button', { name: 'Neuer Tag' }).first().waitFor();
    expect(await root(visit)).toEqual(['de', 'ltr']);
    await visit.open('/1/segments');
    await visit.page.getByRole('navigation').getByRole('link', { name: 'Kampagnen' }).waitFor();
    await visit.page.getByRole('button', { name: 'Ada Lovelace' }).click();
    await visit.page.getByLabel('Sprache').selectOption('Français');
    await visit.page.getByRole('navigation').getByRole('link', { name: 'Campagnes' }).waitFor();
    expect(await root(visit)).toEqual(['fr', 'ltr']);
    await visit.close();
  });

  it('say what the API says in English where they have no sentence for its reason, marked as English', async () => {
    const visit = await speaking('de');
    const reply = (reason: string) => ({
      status: 409,
      json: { success: false, error: 'The sentence of the API.', code: 'CONFLICT', reason },
    });
    let reason = 'NOT_TRANSLATED';
    await visit.page.route('**/api/v2/tools/list_tags', (route) => route.fulfill(reply(reason)));
    await visit.open('/1/tags');
    const sentence = visit.page.getByText('The sentence of the API.');
    await sentence.waitFor();
    expect(await sentence.getAttribute('lang')).toBe('en');
    reason = 'ROLE_TOO_LOW';
    await visit.page.getByRole('button', { name: 'Erneut versuchen' }).click();
    await sentence.waitFor({ state: 'detached' });
    await visit.page.getByText('ROLE_TOO_LOW').waitFor();
    await visit.close();
  });

  it.each<[string, View]>([
    ['qps-ploc', 'desktop'],
    ['qps-ploc', 'phone'],
    ['qps-plocm', 'desktop'],
    ['qps-plocm', 'phone'],
    ['de', 'phone'],
    ['fr', 'phone'],
  ])('fit the screens: %s, %s', async (language, view) => {
    const visit = await speaking(language, view);
    for (const address of addresses) {
      await visit.open(address);
      await visit.settled();
      expect([address, await scrollsSideways(visit)]).toEqual([address, false]);
    }
    expect(await root(visit)).toEqual([language, language === 'qps-plocm' ? 'rtl' : 'ltr']);
    expect(visit.problems).toEqual([]);
    await visit.close();
  });
});
