import { beforeAll, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';

describeInBrowser('segments, tags and fields', (fixture) => {
  beforeAll(async () => {
    await fixture().setUp();
    await fixture().call('import_subscribers', {
      subscribers: Array.from({ length: 30 }, (_, n) => ({
        email: `person${n}@example.org`,
        tags: [n % 3 === 0 ? 'customer' : 'reader'],
      })),
    });
  });

  it('compares with what was saved meanwhile before it replaces it', async () => {
    const { segmentId } = await fixture().call<{ segmentId: string }>('create_segment', { name: 'First' });
    const visit = await fixture().signedIn();
    await visit.open(`/1/segments/${segmentId}`);
    await visit.type(visit.field('Name'), 'Mine');
    await fixture().call('update_segment', { segmentId, name: 'Theirs' });
    await visit.click(visit.button('Save'));
    await visit.page.getByText('changed meanwhile: “Theirs”').waitFor();
    await visit.click(visit.button('Save mine over it'));
    await visit.heading('Mine').waitFor();
    await visit.close();
  });

  it('leads from a refused deletion to what uses the record', async () => {
    const { tags } = await fixture().call<{ tags: { id: string; name: string }[] }>('list_tags');
    const tagId = tags.find(({ name }) => name === 'reader')!.id;
    await fixture().call('create_segment', {
      name: 'Readers',
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [tagId] }],
    });
    const visit = await fixture().signedIn();
    await visit.open('/1/tags');
    await visit.click(visit.button('Actions for reader'));
    await visit.click(visit.button('Delete tag'));
    await visit.click(visit.link('segment “Readers”'));
    await visit.heading('Readers').waitFor();
    await visit.close();
  });

  it('creates, renames and deletes a field', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/fields');
    await visit.click(visit.button('New field').first());
    await visit.type(visit.field(/^Name$/), 'birthday');
    await visit.click(visit.button('Create field'));
    await visit.click(visit.button('Actions for birthday'));
    await visit.click(visit.button('Rename'));
    await visit.type(visit.field(/^Name$/), 'town');
    await visit.click(visit.button('Save'));
    await visit.click(visit.button('Actions for town'));
    await visit.click(visit.button('Delete field'));
    await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Delete field' }));
    await visit.button('Actions for town').waitFor({ state: 'detached' });
    await visit.close();
  });
});
