import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Sql } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { FieldRepository } from '../../src/field/field.repository.js';
import { TagRepository } from '../../src/tag/tag.repository.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization } from '../subscriber-fixture.js';

interface Tags {
  tags: { id: string; name: string; created: boolean }[];
}

describe('get_or_create_tags', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const ask = (names: string[], by = tenant) => harness.data<Tags>('get_or_create_tags', { names }, by);

  it('creates missing tags and returns all, each name once as first spelled, in the requested order', async () => {
    const first = await ask(['One', ' two ', 'ONE']);
    expect(first.tags.map(({ name, created }) => [name, created])).toEqual([
      ['One', true],
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
    const [mine, theirsToo] = [await ask(['Shared']), await ask(['Shared'], otherTenant)];
    expect(theirsToo.tags[0]).toMatchObject({ created: true });
    expect(theirsToo.tags[0]!.id).not.toBe(mine.tags[0]!.id);
    for (const names of [[], ['a,b'], ['x'.repeat(65)], ['{a}']]) {
      expect(await harness.refusal('get_or_create_tags', { names }, tenant)).toBe('PARAMETERS_INVALID');
    }
  });

  it('recreates a tag that is deleted at this very moment, as an import does a field', async () => {
    const dataSource = harness.dataSource('subscriber');
    const organizationId = newId('org');
    /** Commits changes of another call after the first statement with this beginning. */
    const interrupted = (beginning: string, work: () => Promise<unknown>) => {
      let done = false;
      const query = async (text: string, params: unknown[]) => {
        const rows: unknown = await dataSource.query(text, params);
        if (!done && text.trimStart().startsWith(beginning)) {
          done = true;
          await work();
        }
        return rows;
      };
      return { query } as Sql;
    };
    const [known] = await new TagRepository(dataSource.manager).upsertByNames(organizationId, ['Known']);
    const withoutTag = interrupted('insert into tag', () =>
      new TagRepository(dataSource.manager).updateDeleted(organizationId, known!.id),
    );
    expect(await new TagRepository(withoutTag).upsertByNames(organizationId, ['known', 'new'])).toMatchObject([
      { name: 'known', created: true },
      { name: 'new', created: true },
    ]);
    const fields = new FieldRepository(dataSource.manager);
    const field = (await fields.upsertByNames(organizationId, ['Known'])).get('known')!;
    const withoutField = interrupted('insert into custom_field', () => fields.updateDeleted(organizationId, field.id));
    const made = await new FieldRepository(withoutField).upsertByNames(organizationId, ['known', 'new']);
    expect([...made.keys()].sort()).toEqual(['known', 'new']);
    expect(made.get('known')!.id).not.toBe(field.id);
  });
});
