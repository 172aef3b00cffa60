import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { checked, imported, importOf, uploaded } from '../imports.js';
import { mark, organization, person } from '../subscriber-fixture.js';

describe('check_subscriber_import', () => {
  let harness: Harness;
  let tenant: Tenant;
  const refusal = (input: object, by = tenant) => harness.refusal('check_subscriber_import', input, by);
  const cancel = (importId: string, by = tenant) => harness.data('cancel_subscriber_import', { importId }, by);
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  it('counts and shows what a run would do, and writes no subscriber, tag or field', async () => {
    const own = await organization(harness);
    await person(harness, own, { email: 'known@example.com', name: 'Known', tags: ['Old'], fields: { City: 'Oslo' } });
    await person(harness, own, { email: 'still@example.com', name: 'Still' });
    const file = [
      'email,name,city,tags,country',
      'fresh@example.com,Fresh,Rome,new,it',
      'known@example.com,Known,Bergen,old,',
      'still@example.com,Still,,,',
      'known@example.com,Known,Bergen,,',
      'wrong,,,,',
      'far@example.com,,,,Atlantis',
    ].join('\n');
    const importId = await uploaded(harness, own, file);
    const { check, ...state } = await checked(harness, own, importId);
    expect(state).toMatchObject({ state: 'CHECKED', rows: 6, done: 6, imported: 0, failed: 0 });
    expect(check).toMatchObject({
      new: 1,
      updated: 2,
      unchanged: 1,
      refused: { EMAIL_INVALID: 1, COUNTRY_UNKNOWN: 1 },
      repeated: { rows: 1, addresses: [{ email: 'known@example.com', lines: [3, 5], rows: 2 }] },
      delimiter: ',',
      encoding: 'utf-8',
      columns: ['email', 'name', 'city', 'tags', 'country'],
      mapping: [
        { column: 'email', to: 'email' },
        { column: 'name', to: 'name' },
        { column: 'city', to: 'field', field: 'city' },
        { column: 'tags', to: 'tags' },
        { column: 'country', to: 'country' },
      ],
    });
    expect(check!.samples[0]).toEqual({
      line: 2,
      email: 'fresh@example.com',
      subscriber: { name: 'Fresh', country: 'IT', fields: { city: 'Rome' }, tags: ['new'] },
    });
    expect(check!.samples.at(-1)).toMatchObject({ line: 7, email: 'far@example.com', code: 'COUNTRY_UNKNOWN' });
    expect(await harness.data('count_subscribers', {}, own)).toMatchObject({ total: 2 });
    expect(await harness.data('list_tags', {}, own)).toMatchObject({ tags: [{ name: 'Old' }] });
    expect(await harness.data('get_custom_fields', {}, own)).toMatchObject({ total: 1 });
  });

  it('names the lines of an address that occurs again, also far below, and shows no line with the values of another', async () => {
    const filler = Array.from({ length: 1_500 }, (_, n) => `f${n}@example.com,F`);
    const lines = ['twice@example.com,First', 'Twice@Example.com,Second', 'alone@example.com,Alone', ...filler];
    const importId = await uploaded(harness, tenant, ['email,name', ...lines, 'twice@example.com,Third'].join('\n'));
    const { check } = await checked(harness, tenant, importId);
    const [address, ...others] = check!.repeated!.addresses;
    expect(others).toEqual([]);
    expect(check!.repeated!.rows).toBe(2);
    expect(address).toMatchObject({ lines: [2, 3, 1_505], rows: 3 });
    expect(check!.samples[0]).toMatchObject({ line: 4, subscriber: { name: 'Alone' } });
    await cancel(importId);
  });

  it.each([
    ['UTF-8', Buffer.from('email,Name\né@example.com,Zoë\n'), 'utf-8', ','],
    ['UTF-8 with a mark', Buffer.from('\ufeffemail;Name\na@example.com;Zoë\n'), 'utf-8', ';'],
    ['windows-1252', Buffer.from('email\tName\r\na@example.com\tZo\xeb\r\n', 'latin1'), 'windows-1252', '\t'],
    ['UTF-16 little-endian', Buffer.from('\ufeffemail|Name\na@example.com|Zoë Ċ\n', 'utf16le'), 'utf-16le', '|'],
    ['UTF-16 big-endian', Buffer.from('\ufeffemail,Name\na@example.com,Zoë ਊ\n', 'utf16le').swap16(), 'utf-16be', ','],
    ['UTF-16 without a mark', Buffer.from('email,Name\na@example.com,Zoë\n', 'utf16le'), 'utf-16le', ','],
    ['lines of old Macs', Buffer.from('email,Name\ra@example.com,Zoë\r'), 'utf-8', ','],
    ['a line for Excel', Buffer.from('sep=;\nemail;Name\na@example.com;Zoë, R\n'), 'utf-8', ';'],
  ])('detects encoding and delimiter: %s', async (_what, file, encoding, delimiter) => {
    const importId = await uploaded(harness, tenant, file);
    const { check } = await checked(harness, tenant, importId);
    expect(check).toMatchObject({ encoding, delimiter, columns: ['email', 'Name'] });
    const sample = check!.samples[0]!;
    expect(sample.subscriber?.name ?? 'Zoë').toMatch(/^Zoë/);
    await cancel(importId);
  });

  it('takes delimiter and encoding that the caller names before those that it detects', async () => {
    const file = Buffer.from('email;a,b,c\nx@example.com;\xeb\n', 'latin1');
    const importId = await uploaded(harness, tenant, file, { delimiter: ';', encoding: 'windows-1252' });
    expect((await checked(harness, tenant, importId)).check).toMatchObject({ columns: ['email', 'a,b,c'], new: 1 });
    await cancel(importId);
  });

  it('infers the format of dates from all rows, and ends UPLOADED naming both where two fit', async () => {
    const dates = (last: string) => ['email,born', 'a@example.com,01/02/2000', `b@example.com,${last}`].join('\n');
    const mapping = [
      { column: 'email', to: 'email' },
      { column: 'born', to: 'field', type: 'DATE' },
    ];
    const clear = await uploaded(harness, tenant, dates('31/12/1999'));
    expect((await checked(harness, tenant, clear, { mapping })).check).toMatchObject({
      mapping: [{}, { column: 'born', type: 'DATE', format: 'dmy' }],
      samples: [{ subscriber: { fields: { born: '2000-02-01' } } }, {}],
    });
    await cancel(clear);
    const doubtful = await uploaded(harness, tenant, dates('03/04/2001'));
    const refused = await checked(harness, tenant, doubtful, { mapping });
    expect(refused).toMatchObject({ state: 'UPLOADED', check: null });
    expect(refused.failure).toMatch(/"born".*dmy and mdy/);
    // Without a mapping a column of doubtful dates stays text, with a note.
    const { check } = await checked(harness, tenant, doubtful);
    expect(check).toMatchObject({
      mapping: [{}, { to: 'field', field: 'born' }],
      suggestions: [{ column: 'born', formats: ['dmy', 'mdy'] }],
    });
    expect(check!.mapping[1]).not.toHaveProperty('type');
    const none = await checked(harness, tenant, doubtful, {
      mapping: [mapping[0], { column: 'email', to: 'field', field: 'x', type: 'DATE' }],
    });
    expect(none.failure).toMatch(/no value is a date/);
    await cancel(doubtful);
  });

  it('finds a column of addresses without a heading that says so, and notes columns that it leaves out', async () => {
    const importId = await uploaded(harness, tenant, 'who,,status,id\na@example.com,x,active,1\n');
    expect((await checked(harness, tenant, importId)).check).toMatchObject({
      mapping: [
        { column: 'who', to: 'email' },
        { column: 'status', to: 'status' },
      ],
      suggestions: [{ column: '' }, { column: 'id' }],
    });
    await cancel(importId);
  });

  it.each<[string, object[], RegExp]>([
    ['no address', [{ column: 'name', to: 'name' }], /no column to: email/],
    ['an unknown heading', [{ column: 'mail', to: 'email' }], /no heading/],
    ['a heading that occurs twice', [{ column: 'x', to: 'field' }], /several columns/],
    [
      'two addresses',
      [
        { column: 'email', to: 'email' },
        { column: 'name', to: 'email' },
      ],
      /another column/,
    ],
    [
      'a reserved field',
      [
        { column: 'email', to: 'email' },
        { column: 'name', to: 'field' },
      ],
      /reserved/,
    ],
    [
      'a format of a text',
      [
        { column: 'email', to: 'email' },
        { column: 'x', to: 'field', format: 'iso' },
      ],
      /DATE only/,
    ],
    ['a field of a name', [{ column: 'email', to: 'email', field: 'x' }], /to: field only/],
  ])('refuses with MAPPING_INVALID a mapping with %s', async (_what, mapping, message) => {
    const importId = await uploaded(harness, tenant, 'email,name,x,x\na@example.com,A,,\n');
    const outcome = await harness.call('check_subscriber_import', { importId, mapping }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'MAPPING_INVALID', code: 'VALIDATION_ERROR' } });
    expect((outcome as { error: { message: string } }).error.message).toMatch(message);
    await cancel(importId);
  });

  it('refuses with MAPPING_INVALID an empty file, a file without addresses, and more fields than an organization has', async () => {
    const wide = ['email', ...Array.from({ length: 199 }, (_, n) => `f${n}`)].join(',');
    for (const file of ['', '\n\n', 'a,b\n1,2\n', `${wide},more\n`, '"never closed']) {
      const importId = await uploaded(harness, tenant, file);
      expect(await refusal({ importId })).toBe('MAPPING_INVALID');
      await cancel(importId);
    }
    const own = await organization(harness);
    for (const prefix of ['', 'g']) {
      const file = `${wide.replaceAll('f', `${prefix}f`)}\na@example.com${',1'.repeat(199)}`;
      const importId = await uploaded(harness, own, file);
      if (prefix === '') await imported(harness, own, importId);
      else expect(await refusal({ importId }, own)).toBe('MAPPING_INVALID');
    }
  });

  it('refuses with IMPORT_STATE an import without a whole file, and an unknown one with IMPORT_NOT_FOUND', async () => {
    const { import: created } = await harness.data<{ import: { id: string } }>('create_subscriber_import', {}, tenant);
    expect(await refusal({ importId: created.id })).toBe('IMPORT_STATE');
    expect(await refusal({ importId: newId('imp') })).toBe('IMPORT_NOT_FOUND');
    const theirs = await uploaded(harness, await organization(harness), 'email\na@example.com');
    expect(await refusal({ importId: theirs })).toBe('IMPORT_NOT_FOUND');
    await cancel(created.id);
  });

  it('says of any file what its start then does', async () => {
    const cell = fc.constantFrom('', '', 'x', 'y', 'Z');
    const row = fc.record({
      email: fc.oneof(
        { weight: 12, arbitrary: fc.nat(40).map((n) => `P${n}@example.com`) },
        { weight: 1, arbitrary: fc.constantFrom('wrong', '', 'p1@EXAMPLE.com') },
      ),
      name: cell,
      country: fc.constantFrom('', '', 'FR', 'Allemagne', 'Nowhere'),
      one: cell,
      two: fc.constantFrom('', '', '', 'b'.repeat(9_000)),
      tags: fc.constantFrom('', '', 'a', 'b;A', 'c'),
    });
    const cases = fc.record({
      rows: fc.array(row, { minLength: 1, maxLength: 60 }),
      filler: fc.constantFrom(0, 0, 990, 1_500),
      options: fc.record({
        mode: fc.constantFrom('CREATE_AND_UPDATE', 'CREATE_ONLY', 'UPDATE_ONLY'),
        emptyCells: fc.constantFrom('KEEP', 'CLEAR'),
        tags: fc.constantFrom([], ['all']),
        resubscribe: fc.boolean(),
        triggerWorkflows: fc.boolean(),
      }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ rows, filler, options }) => {
        const own = await organization(harness);
        for (let n = 0; n < 12; n++)
          await person(harness, own, {
            email: `p${n}@example.com`,
            name: n % 2 ? 'x' : 'y',
            fields: { one: 'x' },
            tags: n % 3 ? ['a'] : [],
          });
        await harness.data('unsubscribe', { email: 'p3@example.com' }, own);
        const bounced = await person(harness, own, { email: 'p4@example.com' });
        await mark(harness, bounced, 'hard_bounced');
        const lines = rows.map(({ email, name, country, one, two, tags }) =>
          [email, name, country, one, two, two, tags].join(','),
        );
        // Rows in between, so that repeated addresses are in several batches.
        lines.splice(Math.floor(lines.length / 2), 0, ...Array.from({ length: filler }, (_, n) => `f${n}@example.com`));
        const importId = await uploaded(harness, own, ['email,name,country,one,two,three,tags', ...lines].join('\n'));
        const { check } = await checked(harness, own, importId, { options });
        const done = await imported(harness, own, importId);
        const failed = Object.values(check!.refused).reduce((a, b) => a + b, 0);
        expect(done).toMatchObject({
          state: 'DONE',
          imported: check!.new,
          updated: check!.updated,
          unchanged: check!.unchanged,
          failed,
        });
        expect(await importOf(harness, own, importId)).toMatchObject({ done: lines.length, rows: lines.length });
      }),
      { numRuns: 10 },
    );
  }, 180_000);
});
