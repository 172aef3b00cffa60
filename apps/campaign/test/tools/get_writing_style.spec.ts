import { describe, expect, it } from '@jest/globals';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_writing_style', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  it('is empty until something is written down, and each organization’s own', async () => {
    const empty = { name: '', persona: '', audience: '', vocabulary: '', rules: '' };
    expect(await fixture.harness.data('get_writing_style', {}, fixture.tenant)).toEqual({ writingStyle: empty });
    await fixture.harness.data('update_writing_style', { name: 'House style', rules: 'Be brief.' }, fixture.tenant);
    expect(await fixture.harness.data('get_writing_style', {}, fixture.tenant)).toEqual({
      writingStyle: { ...empty, name: 'House style', rules: 'Be brief.' },
    });
    expect(await fixture.harness.data('get_writing_style', {}, fixture.otherTenant)).toEqual({ writingStyle: empty });
  });
});
