import { describe, expect, it } from '@jest/globals';
import { campaignRequests } from '#contracts';
import { newId, uuidOf } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Page {
  entries: { id: string; savedAt: string; source: string; subject: string }[];
  nextCursor: string | null;
}

describe('list_campaign_history', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const list = (input: object) => fixture.harness.data<Page>('list_campaign_history', input, fixture.tenant);
  const refusal = (input: object) => fixture.harness.refusal('list_campaign_history', input, fixture.tenant);

  async function edited(subjects: string[]): Promise<string> {
    const { id } = await fixture.draft({ subject: 'First' });
    for (const subject of subjects) await fixture.harness.data('edit_campaign', { id, subject }, fixture.tenant);
    return id;
  }

  it('lists every save, newest first, with the time and source of each', async () => {
    const id = await edited(['Second', 'Third']);
    const { updatedAt } = await fixture.get(id);
    const { entries, nextCursor } = await list({ campaignId: id });
    expect(entries.map(({ subject, source }) => `${subject} ${source}`)).toEqual(['Third ai', 'Second ai', 'First ai']);
    expect(entries[0]!.savedAt).toBe(updatedAt);
    expect(nextCursor).toBeNull();
  });

  it('merges the saves of an editor within a minute into one entry, and keeps saves of other editors between them', async () => {
    const id = await edited([]);
    const autosave = (subject: string) =>
      fixture.harness
        .client(campaignRequests)
        .autosave_campaign({ id, subject }, fixture.harness.caller(fixture.tenant));
    const entries = async () =>
      (await list({ campaignId: id })).entries.map(({ subject, source }) => `${subject} ${source}`);
    for (const subject of ['S', 'Sp', 'Spr']) await autosave(subject);
    expect(await entries()).toEqual(['Spr autosave', 'First ai']);
    const { updatedAt } = await autosave('Spri');
    expect((await list({ campaignId: id })).entries[0]).toMatchObject({ savedAt: updatedAt, subject: 'Spri' });
    await fixture.harness.data('edit_campaign', { id, subject: 'Autumn' }, fixture.tenant);
    await autosave('Autumn!');
    expect(await entries()).toEqual(['Autumn! autosave', 'Autumn ai', 'Spri autosave', 'First ai']);
    await fixture.harness.dataSource('campaign').query(
      `update campaign_history set history_id = uuid_floor(clock_timestamp() - interval '61 s')
       where campaign_id = $1 and subject = 'Autumn!'`,
      [uuidOf('cmp', id)],
    );
    await fixture.harness
      .dataSource('campaign')
      .query(`delete from campaign_history where campaign_id = $1 and subject in ('Autumn', 'Spri', 'First')`, [
        uuidOf('cmp', id),
      ]);
    await autosave('Autumn?');
    expect(await entries()).toEqual(['Autumn? autosave', 'Autumn! autosave']);
  });

  it('walks by pages that neither repeat nor leave out, also from an entry that is gone', async () => {
    const id = await edited(['2', '3', '4', '5']);
    const first = await list({ campaignId: id, limit: 2 });
    expect(first.entries.map(({ subject }) => subject)).toEqual(['5', '4']);
    expect(first.nextCursor).toBe(first.entries[1]!.id);
    await fixture.harness
      .dataSource('campaign')
      .query(`delete from campaign_history where history_id = $1`, [uuidOf('hst', first.nextCursor)]);
    const second = await list({ campaignId: id, limit: 3, cursor: first.nextCursor });
    expect(second.entries.map(({ subject }) => subject)).toEqual(['3', '2', 'First']);
    expect(second.nextCursor).toBeNull();
  });

  it('refuses a cursor that is no id and a limit over 100 with PARAMETERS_INVALID', async () => {
    const id = await edited([]);
    expect(await refusal({ campaignId: id, cursor: 'page 2' })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ campaignId: id, limit: 101 })).toBe('PARAMETERS_INVALID');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal({ campaignId: foreign.id })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp') })).toBe('CAMPAIGN_NOT_FOUND');
  });
});
