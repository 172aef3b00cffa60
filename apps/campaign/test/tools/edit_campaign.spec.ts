import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph, shownTo } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Edited {
  campaign: CampaignData;
  operations?: { op: string; matched: number }[];
  warnings: { code: string }[];
}

describe('edit_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const edit = (input: Record<string, unknown>) => fixture.harness.data<Edited>('edit_campaign', input, fixture.tenant);
  const refusal = (input: object) => fixture.harness.refusal('edit_campaign', input, fixture.tenant);

  it('changes the given fields and keeps the others', async () => {
    const before = await fixture.draft({ preview: 'In brief', replyTo: 'ada@acme.example' });
    const { campaign, warnings, operations } = await edit({ id: before.id, subject: 'Spring is here' });
    expect(campaign).toEqual({ ...before, subject: 'Spring is here', updatedAt: campaign.updatedAt });
    expect(campaign.updatedAt > before.updatedAt).toBe(true);
    expect(warnings).toEqual([expect.objectContaining({ code: 'CONTENT_UNTOUCHED' })]);
    expect(operations).toBeUndefined();
    expect(await fixture.get(before.id)).toEqual(campaign);
  });

  it('clears preview and reply address by null or an empty string', async () => {
    for (const nothing of [null, '']) {
      const { id } = await fixture.draft({ preview: 'In brief', replyTo: 'ada@acme.example' });
      expect((await edit({ id, preview: nothing, replyTo: nothing })).campaign).toMatchObject({
        preview: null,
        replyTo: null,
      });
    }
  });

  it('rewrites content, its type only together with it', async () => {
    const { id } = await fixture.draft();
    const { campaign } = await edit({ id, content: '# New', contentType: 'MARKDOWN', name: 'New' });
    expect(campaign).toMatchObject({ content: '# New', contentType: 'MARKDOWN', name: 'New' });
    expect((await edit({ id, content: '# Newer' })).campaign).toMatchObject({
      content: '# Newer',
      contentType: 'MARKDOWN',
    });
    expect(await refusal({ id, contentType: 'MAILY' })).toBe('PARAMETERS_INVALID');
  });

  it('applies operations in order and returns the matches of each, together with metadata', async () => {
    const { id } = await fixture.draft({ content: doc(paragraph('one one'), paragraph('two')) });
    const { campaign, operations } = await edit({
      id,
      subject: 'Edited',
      operations: [
        { op: 'replace_text', search: 'one', replace: 'eins', all: true },
        { op: 'append_node', node: paragraph('three') },
        { op: 'remove_node', index: 1 },
      ],
    });
    expect(campaign).toMatchObject({ subject: 'Edited', content: doc(paragraph('eins eins'), paragraph('three')) });
    expect(operations!.map(({ op }) => op)).toEqual(['replace_text', 'append_node', 'remove_node']);
    expect(operations![0]!.matched).toBe(2);
  });

  it('applies all operations or none: OPERATION_FAILED names the one that failed', async () => {
    const before = await fixture.draft({ content: doc(paragraph('Spring is here')) });
    const input = {
      id: before.id,
      operations: [
        { op: 'append_node', node: paragraph('more') },
        { op: 'replace_text', search: 'Sprung is here', replace: 'x' },
      ],
    };
    const outcome = await fixture.harness.call('edit_campaign', input, fixture.tenant);
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        reason: 'OPERATION_FAILED',
        message: expect.stringContaining('Spring is here'),
        issues: [{ path: ['operations', 1] }],
      },
    });
    expect(await fixture.get(before.id)).toEqual(before);
  });

  it('refuses node operations on MARKDOWN with OPERATION_FAILED, and what makes content invalid with CONTENT_INVALID', async () => {
    const markdown = await fixture.draft({ content: 'text', contentType: 'MARKDOWN' });
    expect(await refusal({ id: markdown.id, operations: [{ op: 'remove_node', index: 0 }] })).toBe('OPERATION_FAILED');
    const { id } = await fixture.draft();
    expect(await refusal({ id, operations: [{ op: 'append_node', node: { type: 'nonsense' } }] })).toBe(
      'CONTENT_INVALID',
    );
    expect(await refusal({ id, content: doc({ type: 'nonsense' }) })).toBe('CONTENT_INVALID');
  });

  it('refuses content together with operations with CONTENT_AND_OPERATIONS, and nothing with NOTHING_TO_CHANGE', async () => {
    const { id } = await fixture.draft();
    const both = { id, content: doc(), operations: [{ op: 'remove_node', index: 0 }] };
    expect(await refusal(both)).toBe('CONTENT_AND_OPERATIONS');
    expect(await refusal({ id })).toBe('NOTHING_TO_CHANGE');
    expect(await refusal({ id, operations: [] })).toBe('PARAMETERS_INVALID');
    const search = 'x'.repeat(10_001);
    expect(await refusal({ id, operations: [{ op: 'replace_text', search, replace: '' }] })).toBe('PARAMETERS_INVALID');
  });

  it('leaves out nothing of two edits that meet', async () => {
    const { id } = await fixture.draft();
    await Promise.all([
      edit({ id, subject: 'By one' }),
      edit({ id, name: 'By the other' }),
      edit({ id, operations: [{ op: 'append_node', node: paragraph('a third') }] }),
    ]);
    const after = await fixture.get(id);
    expect(after).toMatchObject({ subject: 'By one', name: 'By the other' });
    expect(JSON.stringify(after.content)).toContain('a third');
    expect(await fixture.history(id)).toHaveLength(4);
  });

  it('gives each save an updatedAt of its own, also within a millisecond', async () => {
    const before = await fixture.draft();
    const now = new Date(before.updatedAt);
    const stamps: string[] = [before.updatedAt];
    for (const subject of ['a', 'b', 'c']) {
      const outcome = await fixture.harness.call('edit_campaign', { id: before.id, subject }, fixture.tenant, { now });
      stamps.push((outcome as { data: Edited }).data.campaign.updatedAt);
    }
    expect(stamps.map((stamp) => Date.parse(stamp) - now.getTime())).toEqual([0, 1, 2, 3]);
  });

  it('writes the state after each save into history, and keeps the 200 newest entries', async () => {
    const { id } = await fixture.draft({ subject: 'First' });
    await edit({ id, subject: 'Second' });
    await fixture.harness.call('edit_campaign', { id, content: doc(paragraph('Third')) }, fixture.tenant, {
      source: 'operator',
    });
    const entries = await fixture.history(id);
    expect(entries.map(({ source, subject }) => `${source} ${subject}`)).toEqual([
      'ai First',
      'ai Second',
      'manual Second',
    ]);
    expect(entries[2]!.content).toEqual(doc(paragraph('Third')));
    await fixture.harness.dataSource('campaign').query(
      `insert into campaign_history select organization_id, campaign_id, uuid_floor('2020-01-01'::timestamptz + n * interval '1 ms'),
         saved_at, source, 'old', content, content_type
       from (select * from campaign_history where subject = 'First') h, generate_series(1, 300) n`,
    );
    await edit({ id, subject: 'Fourth' });
    const kept = await fixture.history(id);
    expect(kept).toHaveLength(200);
    expect(kept.slice(-4).map(({ subject }) => subject)).toEqual(['First', 'Second', 'Second', 'Fourth']);
  });

  it('does not ask again about conditional blocks that an edit leaves alone', async () => {
    await fixture.people(1, 'soon-gone');
    const { id } = await fixture.draft({ content: doc(paragraph('for some', shownTo('soon-gone'))) });
    await fixture.dropTag('soon-gone');
    await edit({ id, subject: 'Still editable' });
    expect(await refusal({ id, content: doc(paragraph('again', shownTo('soon-gone'))) })).toBe('CONTENT_INVALID');
  });

  it('refuses a conditional block whose segment names a deleted target with FILTER_TARGET_GONE', async () => {
    const { id } = await fixture.draft();
    await fixture.people(1, 'soon-gone');
    const showIf = [await fixture.segmentWithout('soon-gone')];
    await fixture.dropTag('soon-gone');
    expect(await refusal({ id, content: doc(paragraph('for some', { showIf })) })).toBe('FILTER_TARGET_GONE');
  });

  it('refuses a sender or snippet that is unknown with SENDER_NOT_FOUND or SNIPPET_NOT_FOUND', async () => {
    const { id } = await fixture.draft();
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal({ id, senderId: foreign.senderId })).toBe('SENDER_NOT_FOUND');
    expect(await refusal({ id, preview: '{{snippet:none}}' })).toBe('SNIPPET_NOT_FOUND');
  });

  it('refuses a campaign that is no DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    expect(await refusal({ id, subject: 'Too late' })).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, and changes nothing', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal({ id: foreign.id, subject: 'Mine now' })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ id: newId('cmp'), subject: 'x' })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await fixture.get(foreign.id, fixture.otherTenant)).toEqual(foreign);
  });
});
