import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Desk } from '../campaign-fixture.js';

describe('update_writing_style', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const update = async (input: object) =>
    (await desk.tidings.data<{ writingStyle: object }>('update_writing_style', input, desk.ours)).writingStyle;

  it('changes what is named, leaves the rest, and clears by an empty string', async () => {
    const all = { name: 'Ours', persona: 'A gardener', audience: 'Neighbours', vocabulary: 'soil', rules: 'Brief.' };
    expect(await update(all)).toEqual(all);
    expect(await update({ persona: '  A cook ' })).toEqual({ ...all, persona: 'A cook' });
    expect(await update({ persona: '', vocabulary: null, rules: 'a\u0000b' })).toEqual({
      ...all,
      persona: '',
      rules: 'ab',
    });
  });

  it('refuses no change with NOTHING_TO_CHANGE and text without end with PARAMETERS_INVALID', async () => {
    expect(await desk.tidings.refusal('update_writing_style', {}, desk.ours)).toBe('NOTHING_TO_CHANGE');
    expect(await desk.tidings.refusal('update_writing_style', { rules: 'x'.repeat(10_001) }, desk.ours)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('touches no other organization', async () => {
    await desk.tidings.data('update_writing_style', { persona: 'Theirs' }, desk.theirs);
    await update({ persona: 'Ours' });
    const { writingStyle } = await desk.tidings.data<{ writingStyle: object }>('get_writing_style', {}, desk.theirs);
    expect(writingStyle).toMatchObject({ persona: 'Theirs' });
  });
});
