import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness.js';
import type { Tenant } from '../../../../test/harness.js';
import { organization } from '../people.js';

interface Tags {
  tags: { id: string; name: string; created: boolean }[];
}

describe('get_or_create_tags', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  const ask = (names: string[], tenant = ours) => tidings.data<Tags>('get_or_create_tags', { names }, tenant);
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('creates what is missing and answers all, each name once, in the order asked', async () => {
    const first = await ask(['One', ' two ', 'ONE']);
    expect(first.tags.map(({ name, created }) => [name.toLowerCase(), created])).toEqual([
      ['one', true],
      ['two', true],
    ]);
    const second = await ask(['Three', 'TWO']);
    expect(second.tags.map(({ created }) => created)).toEqual([true, false]);
    expect(second.tags[1]!.id).toBe(first.tags[1]!.id);
  });

  it('makes one tag of ten simultaneous asks', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(i % 2 ? ['r1', 'r2'] : ['R2', 'R1'])));
    expect(new Set(all.flatMap(({ tags }) => tags.map(({ id }) => id))).size).toBe(2);
    expect(all.flatMap(({ tags }) => tags).filter(({ created }) => created)).toHaveLength(2);
  });

  it('keeps organizations apart, and refuses names that no tag can have', async () => {
    const [mine, theirsToo] = [await ask(['Shared']), await ask(['Shared'], theirs)];
    expect(theirsToo.tags[0]).toMatchObject({ created: true });
    expect(theirsToo.tags[0]!.id).not.toBe(mine.tags[0]!.id);
    for (const names of [[], ['a,b'], ['x'.repeat(65)], ['{a}']]) {
      expect(await tidings.refusal('get_or_create_tags', { names }, ours)).toBe('PARAMETERS_INVALID');
    }
  });
});
