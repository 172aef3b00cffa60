import { beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';

const email = 'ada@example.org';

describeInBrowser('one subscriber', (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
    await fixture().call('import_subscribers', {
      subscribers: [
        { email, name: 'Ada Lovelace', tags: ['customer'], fields: { city: 'London' } },
        ...Array.from({ length: 20 }, (_, n) => ({ email: `person${n}@example.org`, tags: ['reader'] })),
      ],
    });
  });

  it('unsubscribes a person, says why mail does not reach them, and takes it back', async () => {
    const visit = await fixture().signedIn();
    await visit.open(await addressOf());
    await visit.click(visit.button('Unsubscribe'));
    await visit.page.getByText('Only transactional mail reaches this subscriber.').waitFor();
    await visit.page.getByText('The subscriber has unsubscribed.').waitFor();
    await visit.click(visit.button('Undo'));
    await visit.page.getByText('All mail reaches this subscriber.').waitFor();
    await visit.close();
  });

  it('subscribes a person again only after the question of their consent', async () => {
    await fixture().call('unsubscribe', { email: 'person3@example.org' });
    const { subscriber } = await fixture().call<{ subscriber: { id: string } }>('get_subscriber', {
      email: 'person3@example.org',
    });
    const visit = await fixture().signedIn();
    await visit.open(`/1/subscribers/${subscriber.id}`);
    await visit.click(visit.button('Reactivate'));
    const dialog = visit.page.getByRole('dialog', { name: 'Reactivate' });
    await dialog.getByText('Reactivate only if they have asked for mail again.').waitFor();
    await visit.press('Escape');
    await visit.page.getByText('Only transactional mail reaches this subscriber.').waitFor();
    await visit.click(visit.button('Reactivate'));
    await visit.click(dialog.getByRole('button', { name: 'Reactivate' }));
    await visit.page.getByText('All mail reaches this subscriber.').waitFor();
    await visit.close();
  });

  it('does not overwrite what was changed meanwhile before the person has seen it', async () => {
    const visit = await fixture().signedIn();
    await visit.open(await addressOf());
    await visit.click(visit.page.getByTitle('Edit Phone'));
    await visit.type(visit.field('Phone'), '222');
    await fixture().call('update_subscriber', { subscriber: email, phone: '111' });
    await visit.click(visit.button('Save'));
    await visit.page.getByText('Changed meanwhile to “111”').waitFor();
    expect((await stored()).phone).toBe('111');
    await visit.click(visit.button('Save'));
    await visit.page.getByTitle('Edit Phone').getByText('222').waitFor();
    expect((await stored()).phone).toBe('222');
    await visit.close();
  });

  it('bans, and deletes only once the address is typed', async () => {
    const visit = await fixture().signedIn();
    await visit.open(await addressOf());
    await visit.click(visit.button('More actions'));
    await visit.click(visit.button('Ban this address'));
    await visit.page.getByText('No mail reaches this subscriber.').waitFor();
    await visit.click(visit.button('Undo'));
    await visit.page.getByText('All mail reaches this subscriber.').waitFor();
    await visit.click(visit.button('More actions'));
    await visit.click(visit.button('Delete subscriber'));
    const dialog = visit.page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete subscriber' }).isDisabled()).toBe(true);
    await visit.type(dialog.getByRole('textbox'), email);
    await visit.click(dialog.getByRole('button', { name: 'Delete subscriber' }));
    await visit.heading('Subscribers').waitFor();
    await expect(stored()).rejects.toThrow('404');
    await visit.close();
  });

  it('adds tags to the selected rows', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers?tag=reader');
    await visit.link('person0@example.org').waitFor();
    await visit.press('j x j x');
    await visit.click(visit.button('Add tags'));
    await visit.page.keyboard.type('guest');
    await visit.page.getByRole('option', { name: 'guest' }).waitFor();
    await visit.press('Enter');
    await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Add tags' }));
    await visit.page.getByText('2 subscribers have new tags.').first().waitFor();
    await visit.close();
  });

  const stored = async () => {
    const { subscriber } = await fixture().call<{ subscriber: { id: string; phone: string | null } }>(
      'get_subscriber',
      { email },
    );
    return subscriber;
  };
  const addressOf = async () => `/1/subscribers/${(await stored()).id}`;
});
