import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('create_tag', () => {
  const tenant = { organizationId: newId('org') };
  const otherTenant = { organizationId: newId('org') };
  const harness = useFixture(() => Harness.start());

  it('creates a tag that list_tags returns without subscribers', async () => {
    const { tag } = await harness.data<{ tag: { id: string; name: string } }>(
      'create_tag',
      { name: '  Früh ' },
      tenant,
    );
    expect(tag.name).toBe('Früh');
    expect(await harness.data('list_tags', {}, tenant)).toEqual({ tags: [{ ...tag, subscribersCount: 0 }], total: 1 });
  });

  it('refuses a name that exists in another case with TAG_NAME_TAKEN', async () => {
    expect(await harness.refusal('create_tag', { name: 'FRÜH' }, tenant)).toBe('TAG_NAME_TAKEN');
  });

  it('keeps one line without control characters, so that a tag given with a subscriber is the same', async () => {
    const { tag } = await harness.data<{ tag: { id: string; name: string } }>(
      'create_tag',
      { name: 'V\tI\u0007P' },
      tenant,
    );
    expect(tag.name).toBe('V IP');
    const input = { email: 'a@example.com', tags: ['V\tI\u0007P'] };
    expect(await harness.data('import_subscribers', { subscribers: [input] }, tenant)).toMatchObject({ imported: 1 });
    expect(await harness.data('get_subscribers_by_tag', { tagName: 'v ip' }, tenant)).toMatchObject({ tag, total: 1 });
    expect(await harness.data('get_or_create_tags', { names: ['V\nIP'] }, tenant)).toEqual({
      tags: [{ ...tag, created: false }],
    });
  });

  it('removes invisible characters, so that two tags never look the same; joiners within stay', async () => {
    const create = async (name: string) =>
      (await harness.data<{ tag: { name: string } }>('create_tag', { name }, tenant)).tag.name;
    expect(await create('pas\u200bted\u200b')).toBe('pasted');
    expect(await harness.refusal('create_tag', { name: '\u202apasted\u202c' }, tenant)).toBe('TAG_NAME_TAKEN');
    for (const name of ['👨‍👩‍👧', 'می‌خواهم', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) expect(await create(name)).toBe(name);
    expect(await harness.refusal('create_tag', { name: ' \u200b\u200e' }, tenant)).toBe('PARAMETERS_INVALID');
    const row = { email: 'p@example.com', phone: '\u202a+33 1\u202c', tags: ['\ufeffPasted'] };
    await harness.data('import_subscribers', { subscribers: [row] }, tenant);
    const { subscriber } = await harness.data<{ subscriber: object }>('get_subscriber', { email: row.email }, tenant);
    expect(subscriber).toMatchObject({ phone: '+33 1', tags: [{ name: 'pasted' }] });
  });

  it('refuses an empty, long or comma-bearing name', async () => {
    for (const name of [' ', '\u0007', 'x'.repeat(65), 'a,b', 'a{b']) {
      expect(await harness.refusal('create_tag', { name }, tenant)).toBe('PARAMETERS_INVALID');
    }
  });

  it('keeps organizations apart: the same name is free in another one', async () => {
    await harness.data('create_tag', { name: 'Früh' }, otherTenant);
    expect((await harness.data<{ total: number }>('list_tags', {}, otherTenant)).total).toBe(1);
  });

  it('has its effect once for one call id', async () => {
    const callId = 'key:once';
    const both = await Promise.all([1, 2].map(() => harness.call('create_tag', { name: 'Once' }, tenant, { callId })));
    expect(both.every((outcome) => outcome.ok)).toBe(true);
    const other = await harness.call('create_tag', { name: 'Another' }, tenant, { callId });
    expect(other).toMatchObject({ ok: false, error: { reason: 'IDEMPOTENCY_KEY_REUSED' } });
  });
});
