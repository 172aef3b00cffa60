import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Desk } from '../campaign-fixture.js';

describe('get_writing_style', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  it('is empty until something is written down, and each organization’s own', async () => {
    const empty = { name: '', persona: '', audience: '', vocabulary: '', rules: '' };
    expect(await desk.tidings.data('get_writing_style', {}, desk.ours)).toEqual({ writingStyle: empty });
    await desk.tidings.data('update_writing_style', { name: 'House style', rules: 'Be brief.' }, desk.ours);
    expect(await desk.tidings.data('get_writing_style', {}, desk.ours)).toEqual({
      writingStyle: { ...empty, name: 'House style', rules: 'Be brief.' },
    });
    expect(await desk.tidings.data('get_writing_style', {}, desk.theirs)).toEqual({ writingStyle: empty });
  });
});
