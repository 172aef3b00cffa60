import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';

describe('create_tag', () => {
  const ours = { organizationId: newId('org') };
  const theirs = { organizationId: newId('org') };
  let tidings: Harness;
  beforeAll(async () => {
    tidings = await Harness.start();
  });
  afterAll(() => tidings.stop());

  it('creates a tag that list_tags then shows with nobody in it', async () => {
    const { tag } = await tidings.data<{ tag: { id: string; name: string } }>('create_tag', { name: '  Früh ' }, ours);
    expect(tag.name).toBe('Früh');
    expect(await tidings.data('list_tags', {}, ours)).toEqual({ tags: [{ ...tag, subscribersCount: 0 }], total: 1 });
  });

  it('refuses a name that exists in another case with TAG_NAME_TAKEN', async () => {
    expect(await tidings.refusal('create_tag', { name: 'FRÜH' }, ours)).toBe('TAG_NAME_TAKEN');
  });

  it('keeps one line without control characters, so that a tag given with a subscriber is the same', async () => {
    const { tag } = await tidings.data<{ tag: { id: string; name: string } }>(
      'create_tag',
      { name: 'V\tI\u0007P' },
      ours,
    );
    expect(tag.name).toBe('V IP');
    const input = { email: 'a@example.com', tags: ['V\tI\u0007P'] };
    expect(await tidings.data('import_subscribers', { subscribers: [input] }, ours)).toMatchObject({ imported: 1 });
    expect(await tidings.data('get_subscribers_by_tag', { tagName: 'v ip' }, ours)).toMatchObject({ tag, total: 1 });
    expect(await tidings.data('get_or_create_tags', { names: ['V\nIP'] }, ours)).toEqual({
      tags: [{ ...tag, created: false }],
    });
  });

  it('leaves out what nobody sees, so that two tags never look the same; joiners within stay', async () => {
    const create = async (name: string) =>
      (await tidings.data<{ tag: { name: string } }>('create_tag', { name }, ours)).tag.name;
    expect(await create('pas\u200bted\u200b')).toBe('pasted');
    expect(await tidings.refusal('create_tag', { name: '\u202apasted\u202c' }, ours)).toBe('TAG_NAME_TAKEN');
    for (const name of ['👨‍👩‍👧', 'می‌خواهم', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) expect(await create(name)).toBe(name);
    expect(await tidings.refusal('create_tag', { name: ' \u200b\u200e' }, ours)).toBe('PARAMETERS_INVALID');
    const row = { email: 'p@example.com', phone: '\u202a+33 1\u202c', tags: ['\ufeffPasted'] };
    await tidings.data('import_subscribers', { subscribers: [row] }, ours);
    const { subscriber } = await tidings.data<{ subscriber: object }>('get_subscriber', { email: row.email }, ours);
    expect(subscriber).toMatchObject({ phone: '+33 1', tags: [{ name: 'pasted' }] });
  });

  it('refuses an empty, long or comma-bearing name', async () => {
    for (const name of [' ', '\u0007', 'x'.repeat(65), 'a,b', 'a{b']) {
      expect(await tidings.refusal('create_tag', { name }, ours)).toBe('PARAMETERS_INVALID');
    }
  });

  it('keeps organizations apart: the same name is free in another one', async () => {
    await tidings.data('create_tag', { name: 'Früh' }, theirs);
    expect((await tidings.data<{ total: number }>('list_tags', {}, theirs)).total).toBe(1);
  });

  it('has its effect once for one call id', async () => {
    const callId = 'key:once';
    const both = await Promise.all([1, 2].map(() => tidings.call('create_tag', { name: 'Once' }, ours, { callId })));
    expect(both.every((outcome) => outcome.ok)).toBe(true);
    const other = await tidings.call('create_tag', { name: 'Another' }, ours, { callId });
    expect(other).toMatchObject({ ok: false, error: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
  });
});
