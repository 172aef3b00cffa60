import { expect, it } from '@jest/globals';
import { describeInBrowser, ownerPerson } from '../harness.js';

describeInBrowser('the first visit', (fixture) => {
  it('leads from the setup link to home', async () => {
    const visit = await fixture().visit();
    await visit.open(`/setup#${fixture().setupToken}`);
    await visit.type(visit.field('Your name'), ownerPerson.name);
    // The token leaves the address, so that no history keeps it.
    expect(visit.page.url()).not.toContain('#');
    await visit.type(visit.field('Email'), ownerPerson.email);
    await visit.type(visit.field('Password'), ownerPerson.password);
    await visit.click(visit.button('Create account'));
    await visit.heading(`Hello ${ownerPerson.name.split(' ')[0]}`).waitFor();
    expect(new URL(visit.page.url()).pathname).toBe('/1');
    expect(visit.clicks).toBe(1);
    await visit.close();
  });

  it('refuses the setup link a second time', async () => {
    const visit = await fixture().visit();
    await visit.open(`/setup#${fixture().setupToken}`);
    await visit.type(visit.field('Your name'), 'Mallory');
    await visit.type(visit.field('Email'), 'mallory@example.org');
    await visit.type(visit.field('Password'), ownerPerson.password);
    await visit.click(visit.button('Create account'));
    await visit.page.getByText('The link is unknown, expired, used or revoked').waitFor();
    await visit.close();
  });

  it('signs in with a wrong password only to a refusal, then to the page that was asked for', async () => {
    const visit = await fixture().visit();
    await visit.open('/1/subscribers?status=SUBSCRIBED');
    await visit.type(visit.field('Email'), ownerPerson.email);
    await visit.type(visit.field('Password'), 'not the password at all');
    await visit.click(visit.button('Sign in'));
    await visit.page.getByText('The email address or the password is wrong.').waitFor();
    await visit.type(visit.field('Password'), ownerPerson.password);
    await visit.click(visit.button('Sign in'));
    await visit.heading('Subscribers').waitFor();
    expect(visit.page.url()).toContain('/1/subscribers?status=SUBSCRIBED');
    await visit.close();
  });

  it('shows the subscribers, finds one, and narrows by status', async () => {
    await fixture().call('import_subscribers', {
      subscribers: Array.from({ length: 100 }, (_, n) => ({ email: `person${n}@example.org`, tags: ['customer'] })),
    });
    await fixture().call('unsubscribe', { email: 'person7@example.org' });
    const visit = await fixture().signedIn();
    await visit.open('/1');
    await visit.press('g u');
    await visit.link('person99@example.org').waitFor();
    await visit.press('/');
    await visit.page.keyboard.type('person7@');
    await visit.link('person7@example.org').waitFor();
    expect(await visit.page.getByRole('row').count()).toBe(2);
    expect(visit.page.url()).toContain('q=person7');
    await visit.open('/1/subscribers');
    await visit.click(visit.button(/^Unsubscribed/));
    await visit.link('person7@example.org').waitFor();
    expect(visit.clicks).toBe(1);
    await visit.close();
  });

  it('keeps the list of what is to set up until it is dismissed', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1');
    const address = visit.link('Enter your postal address');
    await address.waitFor();
    await visit.click(visit.button('Hide this list'));
    await address.waitFor({ state: 'detached' });
    await visit.page.reload();
    await visit.settled();
    expect(await address.count()).toBe(0);
    await visit.close();
  });

  it('moves through a list and selects by keys alone', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers?status=SUBSCRIBED');
    await visit.link('person99@example.org').waitFor();
    await visit.press('j j x');
    await visit.page.getByRole('table').getByText('1 selected').waitFor();
    await visit.press('k x');
    await visit.page.getByRole('table').getByText('2 selected').waitFor();
    await visit.press('Escape');
    await visit.page.getByRole('table').getByText('2 selected').waitFor({ state: 'detached' });
    await visit.close();
  });

  it('runs any tool from the palette by keys, as a form made from its contract', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers');
    await visit.press('Control+k');
    // At once: what is typed belongs to the palette, not to the page below.
    await visit.page.keyboard.type('create_tag');
    await visit.page.getByRole('option', { name: /^create_tag/ }).waitFor();
    await visit.press('Enter');
    const name = visit.page.getByRole('textbox', { name: 'name', exact: true });
    await name.waitFor();
    expect(await name.evaluate((one) => one === document.activeElement)).toBe(true);
    await visit.write('from the palette');
    await visit.press('Enter');
    await visit.page.getByText('"name": "from the palette"').waitFor();
    expect(visit.clicks).toBe(0);
    expect(await visit.axe()).toEqual([]);
    await visit.close();
  });

  it('finds what a page makes before the tools, and opens it there', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1');
    await visit.press('Control+k');
    await visit.page.keyboard.type('add sub');
    await visit.page.getByRole('option', { name: /^Add subscriber/, selected: true }).waitFor();
    await visit.page
      .getByRole('option', { name: /^add_subscriber/ })
      .first()
      .waitFor();
    await visit.press('Enter');
    await visit.page.getByRole('dialog', { name: 'Add a subscriber' }).waitFor();
    // Keys of the page mean nothing below a dialog, wherever the focus is.
    await visit.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await visit.press('g h c');
    await visit.page.getByRole('dialog', { name: 'Add a subscriber' }).waitFor();
    expect(new URL(visit.page.url()).pathname).toBe('/1/subscribers');
    await visit.close();
  });

  it('lists the tools although their file did not arrive at first', async () => {
    const visit = await fixture().signedIn();
    let lost = 0;
    await visit.page.route(/palette-list|tool-schemas/, (route) => (lost++ < 2 ? route.abort() : route.continue()));
    await visit.open('/1/subscribers');
    await visit.press('Control+k');
    await visit.page.keyboard.type('create tag');
    await visit.page.getByRole('option', { name: /^create_tag/ }).waitFor();
    expect(lost).toBeGreaterThan(2);
    await visit.close();
  });

  it('finds a page in the palette', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1');
    await visit.press('Control+k');
    await visit.page.keyboard.type('subscr');
    await visit.page.getByRole('option', { name: /Go to Subscribers/ }).waitFor();
    await visit.page.getByRole('option', { name: /Go to Home/ }).waitFor({ state: 'detached' });
    await visit.press('Enter');
    await visit.heading('Subscribers').waitFor();
    await visit.close();
  });

  it('says of which organization the user is no member', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/2');
    await visit.page.getByText('You are not a member of organization 2.').waitFor();
    await visit.close();
  });
});
