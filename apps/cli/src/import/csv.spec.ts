import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readHeader } from './csv-header.js';
import { lineBytesMax, readLines } from './csv-line.js';
import { CsvRecords } from './csv-record.js';
import { rowOf } from './csv-row.js';

type Read = { line: number; row: unknown } | { line: number; problem: string };

/** Reads a file as the import does, in chunks so small that boundaries fall everywhere. */
async function read(file: string | Buffer, { tags = [] as string[], chunk = 7 } = {}): Promise<Read[]> {
  const bytes = Buffer.from(file);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, n) =>
    bytes.subarray(n * chunk, (n + 1) * chunk),
  );
  const records = new CsvRecords(readLines(Readable.from(chunks) as AsyncIterable<Buffer>));
  const header = await records.header();
  if (!header || 'problem' in header) throw new Error('no header');
  const { columns } = readHeader(header.cells);
  const all: Read[] = [];
  for await (const record of records.rows(columns.length)) {
    if ('problem' in record) all.push(record);
    else all.push({ line: record.line, ...rowOf(columns, record.cells, tags) });
  }
  return all;
}
const rows = async (...args: Parameters<typeof read>) =>
  (await read(...args)).map((one) => ('row' in one ? one.row : one));
const refused = (line: number, problem: unknown, email: string | null = null) => ({ line, problem, email });

describe('reading a CSV', () => {
  it.each([
    ['commas', 'email,name\na@x.io,Ann\n'],
    ['semicolons', 'email;name\na@x.io;Ann\n'],
    ['tabs', 'email\tname\na@x.io\tAnn\n'],
    ['a byte order mark', '\ufeffemail,name\na@x.io,Ann\n'],
    ['Windows line breaks', 'email,name\r\na@x.io,Ann\r\n'],
    ['old Mac line breaks', 'email,name\ra@x.io,Ann\r'],
    ['no line break at the end', 'email,name\na@x.io,Ann'],
    ['empty lines', '\n\nemail,name\n\n  \na@x.io,Ann\n\n'],
    ['quotes around everything', '"email","name"\n"a@x.io","Ann"\n'],
    ['the delimiter said as Excel does', 'sep=|\nemail|name\na@x.io|Ann\n'],
    ['UTF-16 little endian', Buffer.from('\ufeffemail\tname\r\na@x.io\tAnn\r\n', 'utf16le')],
    ['UTF-16 big endian', Buffer.from('\ufeffemail\tname\na@x.io\tAnn\n', 'utf16le').swap16()],
  ])('takes %s', async (_what, file) => {
    expect(await rows(file)).toEqual([{ email: 'a@x.io', name: 'Ann' }]);
  });

  it('takes a header with semicolons whose headings hold commas', async () => {
    expect(await rows('email;"City, State";Note\na@x.io;"Austin, TX";x')).toEqual([
      { email: 'a@x.io', fields: { 'City, State': 'Austin, TX', Note: 'x' } },
    ]);
  });

  it('reads lines that are not UTF-8 as windows-1252', async () => {
    const utf8 = Buffer.from('email,name,price\na@x.io,Zoë Łódź,5 €\n');
    const windows = Buffer.from('b@x.io,Zo\xeb \x8aime\x9e,5 \x80\n', 'latin1');
    expect(await rows(Buffer.concat([utf8, windows]))).toEqual([
      { email: 'a@x.io', name: 'Zoë Łódź', fields: { price: '5 €' } },
      { email: 'b@x.io', name: 'Zoë Šimež', fields: { price: '5 €' } },
    ]);
  });

  it('keeps line breaks, quotes and delimiters of quoted cells, and counts lines as editors do', async () => {
    const file = 'email,note,name\na@x.io,"one\r\ntwo ""quoted""\r\n\r\nthree, four",Ann\r\nb@x.io,,Bo\r\nnobody,,"X"';
    expect(await read(file)).toEqual([
      { line: 2, row: { email: 'a@x.io', name: 'Ann', fields: { note: 'one\ntwo "quoted"\n\nthree, four' } } },
      { line: 6, row: { email: 'b@x.io', name: 'Bo' } },
      { line: 7, row: { email: 'nobody', name: 'X' } },
    ]);
  });

  it('takes quotes inside cells that have none around them', async () => {
    expect(await rows('email,name\na@x.io,Ann "The Cat" Lee\nb@x.io,5" pipe\nc@x.io,"Bo" Lee')).toEqual([
      { email: 'a@x.io', name: 'Ann "The Cat" Lee' },
      { email: 'b@x.io', name: '5" pipe' },
      { email: 'c@x.io', name: '"Bo" Lee' },
    ]);
  });

  it.each([
    ['no other quote in the file', 'email,name\na@x.io,"Ann\nb@x.io,Bo\nc@x.io,Cy'],
    ['quotes in later rows', 'email,name\na@x.io,"Ann\nb@x.io,"Bo"\nc@x.io,"Cy"'],
    ['a later row that seems to close it', 'email,name\na@x.io,"Ann\nb@x.io,Bo\nc@x.io,"Cy"'],
  ])('loses only its own line to a quote that is never closed: %s', async (_what, file) => {
    expect(await read(file)).toEqual([
      { line: 2, problem: 'A quote is opened and never closed.' },
      { line: 3, row: { email: 'b@x.io', name: 'Bo' } },
      { line: 4, row: { email: 'c@x.io', name: 'Cy' } },
    ]);
  });

  it('looks for a lost quote no further than a thousand lines', async () => {
    const many = Array.from({ length: 5000 }, (_, n) => `u${n}@x.io,N`).join('\n');
    const all = await read(`email,name\na@x.io,"Ann\n${many}`, { chunk: 65_536 });
    expect(all).toHaveLength(5001);
    expect(all.filter((one) => 'problem' in one)).toHaveLength(1);
  });

  it('takes rows with too few cells, and with empty ones too many; refuses the others', async () => {
    expect(await read('email,name,city\na@x.io\nb@x.io,Bo,Rome,,\nc@x.io,Cy,Rome,Italy\nd@x.io,Di')).toEqual([
      { line: 2, row: { email: 'a@x.io' } },
      { line: 3, row: { email: 'b@x.io', name: 'Bo', fields: { city: 'Rome' } } },
      { ...refused(4, expect.stringMatching(/4 cells, the header 3/), 'c@x.io') },
      { line: 5, row: { email: 'd@x.io', name: 'Di' } },
    ]);
  });

  it('refuses a row with a 1 MB cell and goes on', async () => {
    for (const note of ['x'.repeat(2 ** 20), `"${'x\n'.repeat(400)}${'x'.repeat(2 ** 20)}"`]) {
      const all = await read(`email,note\na@x.io,${note}\nb@x.io,ok`, { chunk: 65_536 });
      expect(all[0]).toMatchObject(refused(2, expect.stringMatching(/^A cell has 1,04\d,\d+ characters/), 'a@x.io'));
      expect(all[1]).toMatchObject({ row: { email: 'b@x.io' } });
    }
  });

  it('refuses a line of any length and goes on, keeping no more of it than the bound', async () => {
    const all = await read(`email,note\na@x.io,${'x'.repeat(3 * lineBytesMax)}\nb@x.io,ok`, { chunk: 65_536 });
    expect(all).toMatchObject([
      { line: 2, problem: 'The line is longer than 2 MB.' },
      { line: 3, row: { email: 'b@x.io' } },
    ]);
  });

  it('refuses rows without an address, and people who must not be subscribed again', async () => {
    expect(await read('email,name,status\n,Ann,\nb@x.io,Bo,unsubscribed\nc@x.io,Cy,SUBSCRIBED\nd@x.io,Di,')).toEqual([
      refused(2, 'The row has no address.'),
      refused(3, expect.stringMatching(/^The file says unsubscribed: importing would subscribe/), 'b@x.io'),
      { line: 4, row: { email: 'c@x.io', name: 'Cy' } },
      { line: 5, row: { email: 'd@x.io', name: 'Di' } },
    ]);
  });

  it.each(['Cleaned', 'Opted Out', 'unconfirmed', 'Non-Subscribed', 'blocklisted', 'gold'])(
    'subscribes no row that the file marks as %s',
    async (status) => {
      const problem: unknown = expect.stringMatching(
        new RegExp(`^The file says ${status}: .* give it another heading`),
      );
      expect(await read(`email,status\na@x.io,${status}`)).toEqual([refused(2, problem, 'a@x.io')]);
    },
  );

  it.each(['Subscribed', 'ACTIVE', 'confirmed', 'enabled', 'Opted In', 'opt-in'])(
    'imports people whom another system calls %s',
    async (status) => {
      expect(await rows(`email,status\na@x.io,${status}`)).toEqual([{ email: 'a@x.io' }]);
    },
  );

  it('recognizes common headings, splits tags, and recognizes countries by name', async () => {
    const header = 'First Name;last_name;E-Mail;Phone number;COUNTRY;Tags;Shoe size';
    const file = `${header}\nAnn;Lee;a@x.io;+33 1;France;"vip, old;vip";42\n;Bo;b@x.io;;de;;`;
    expect(await rows(file, { tags: ['import'] })).toEqual([
      {
        email: 'a@x.io',
        name: 'Ann Lee',
        phone: '+33 1',
        country: 'France',
        tags: ['import', 'vip', 'old'],
        fields: { 'Shoe size': '42' },
      },
      { email: 'b@x.io', name: 'Bo', country: 'de', tags: ['import'] },
    ]);
  });

  it('takes tags out of quotes of their own', async () => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const file = [
      'email,tags',
      `a@x.io,${cell('"vip","old customer"')}`,
      `b@x.io,${cell('"vip"')}`,
      `c@x.io,${cell('5" disk')}`,
    ];
    expect(await rows(file.join('\n'))).toEqual([
      { email: 'a@x.io', tags: ['vip', 'old customer'] },
      { email: 'b@x.io', tags: ['vip'] },
      { email: 'c@x.io', tags: ['5" disk'] },
    ]);
  });

  it('leaves out empty cells, so that they clear nothing', async () => {
    const [row] = await rows('email,name,phone,city\na@x.io, ,,""');
    expect(JSON.parse(JSON.stringify(row))).toEqual({ email: 'a@x.io' });
  });
});

describe('a header', () => {
  it('says which columns are not imported', () => {
    const { columns, notices } = readHeader(['id', 'mail', '', 'createdAt', 'Org-Name', 'city']);
    expect(columns.map(({ kind }) => kind)).toEqual(['left', 'email', 'left', 'left', 'left', 'field']);
    expect(notices).toHaveLength(4);
  });

  it.each([
    [['name', 'city'], /No column is called email/],
    [['a@x.io', 'Ann'], /first line must name the columns/],
    [['email', 'E-Mail'], /Two columns are both "E-Mail"/],
    [['email', 'City', 'city '], /Two columns are both "city"/],
  ])('is refused when it is %j', (cells, message) => expect(() => readHeader(cells)).toThrow(message));
});
