import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Desk, doc } from '../campaign-fixture.js';

describe('get_email_snippets', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const names = async (input: object, tenant = desk.ours) => {
    const data = await desk.tidings.data<{ snippets: { name: string }[]; total: number }>(
      'get_email_snippets',
      input,
      tenant,
    );
    expect(data.total).toBe(data.snippets.length);
    return data.snippets.map(({ name }) => name);
  };

  it('lists by name, archived ones only when asked for, another organization’s never', async () => {
    expect(await names({})).toEqual([]);
    await desk.snippet('beta', doc());
    const alpha = await desk.snippet('Alpha', doc());
    await desk.snippet('Theirs', doc(), desk.theirs);
    expect(await names({})).toEqual(['Alpha', 'beta']);
    await desk.tidings.data('archive_email_snippet', { id: alpha }, desk.ours);
    expect(await names({})).toEqual(['beta']);
    expect(await names({ includeArchived: true })).toEqual(['Alpha', 'beta']);
    expect(await names({ includeArchived: true }, desk.theirs)).toEqual(['Theirs']);
  });
});
