import { describe, expect, it } from '@jest/globals';
import { CampaignFixture, doc } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_email_snippets', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const names = async (input: object, tenant = fixture.tenant) => {
    const data = await fixture.harness.data<{ snippets: { name: string }[]; total: number }>(
      'get_email_snippets',
      input,
      tenant,
    );
    expect(data.total).toBe(data.snippets.length);
    return data.snippets.map(({ name }) => name);
  };

  it('lists by name, archived ones only when asked for, another organization’s never', async () => {
    expect(await names({})).toEqual([]);
    await fixture.snippet('beta', doc());
    const alpha = await fixture.snippet('Alpha', doc());
    await fixture.snippet('Theirs', doc(), fixture.otherTenant);
    expect(await names({})).toEqual(['Alpha', 'beta']);
    await fixture.harness.data('archive_email_snippet', { id: alpha }, fixture.tenant);
    expect(await names({})).toEqual(['beta']);
    expect(await names({ includeArchived: true })).toEqual(['Alpha', 'beta']);
    expect(await names({ includeArchived: true }, fixture.otherTenant)).toEqual(['Theirs']);
  });
});
