import { describe, expect, it } from '@jest/globals';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('update_writing_style', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const update = async (input: object) =>
    (await fixture.harness.data<{ writingStyle: object }>('update_writing_style', input, fixture.tenant)).writingStyle;

  it('changes the given fields, keeps the others, and clears a field with an empty string', async () => {
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
    expect(await fixture.harness.refusal('update_writing_style', {}, fixture.tenant)).toBe('NOTHING_TO_CHANGE');
    expect(await fixture.harness.refusal('update_writing_style', { rules: 'x'.repeat(10_001) }, fixture.tenant)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('touches no other organization', async () => {
    await fixture.harness.data('update_writing_style', { persona: 'Theirs' }, fixture.otherTenant);
    await update({ persona: 'Ours' });
    const { writingStyle } = await fixture.harness.data<{ writingStyle: object }>(
      'get_writing_style',
      {},
      fixture.otherTenant,
    );
    expect(writingStyle).toMatchObject({ persona: 'Theirs' });
  });
});
