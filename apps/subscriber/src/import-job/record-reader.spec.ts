import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { detectFormat } from './file-format.js';
import type { ImportEncoding } from './file-format.js';
import { RecordReader } from './record-reader.js';
import type { FilePlace, FileRecord } from './record-reader.js';
import { RepeatedAddresses } from './address-filter.js';

const encoded: Record<string, (text: string) => Buffer> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
};

/** Reads a file whose bytes arrive in parts of a size, from a place on. */
function read(file: Buffer, encoding: ImportEncoding, size: number, from: FilePlace = { bytes: 0, lines: 0 }) {
  const format = { ...detectFormat(file, { delimiter: ',', encoding }), startBytes: 0, lineEnd: '\n' as const };
  const reader = new RecordReader(format, 2, from);
  const records: FileRecord[] = [];
  const places: FilePlace[] = [];
  for (let at = from.bytes; at < file.length; at += size) {
    reader.push(file.subarray(at, at + size), at + size >= file.length);
    for (let record = reader.next(); record; record = reader.next()) {
      records.push(record);
      places.push(reader.place);
    }
  }
  return { records, places };
}

describe('the rows of a file', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'é', 'Ċ', '€', ' '), maxLength: 6 }),
    fc.constantFrom('"x"', '"x,y"', '"two\nlines"', '"a""b"', '"open', 'mid"dle', '"'),
  );
  const line = fc.tuple(cell, cell).map((cells) => cells.join(','));
  const text = fc
    .array(fc.oneof(line, fc.constantFrom('', 'alone')), { maxLength: 12 })
    .map((lines) => lines.join('\n'));

  it('are the same in whatever parts the bytes arrive, and from any place between two rows', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...Object.keys(encoded)),
        fc.integer({ min: 1, max: 20 }),
        (file, name, size) => {
          const bytes = encoded[name]!(file);
          const encoding = name as ImportEncoding;
          const whole = read(bytes, encoding, bytes.length + 1);
          expect(read(bytes, encoding, size)).toEqual(whole);
          for (const [n, place] of whole.places.entries())
            expect(read(bytes, encoding, size, place).records).toEqual(whole.records.slice(n + 1));
        },
      ),
    );
  });

  it('lose no more than the line of a quote that is never closed', () => {
    const { records } = read(Buffer.from('a,"open\nb,2\n"c\nd",4\n'), 'utf-8', 1_000);
    expect(records).toEqual([
      { line: 1, problem: 'A quote is opened and never closed.' },
      { line: 2, cells: ['b', '2'] },
      { line: 3, cells: ['c\nd', '4'] },
    ]);
  });

  it('are read on after a line that is longer than any row', () => {
    const file = Buffer.from(`a,${'x'.repeat(5 * 1024 * 1024)}\nb,2\n`);
    const { records } = read(file, 'utf-8', 1024 * 1024);
    expect(records).toEqual([
      { line: 1, problem: 'The line is longer than 2 MB.' },
      { line: 2, cells: ['b', '2'] },
    ]);
  });
});

describe('repeated addresses', () => {
  it('are all found, with few others', () => {
    const addresses = new RepeatedAddresses(200_000 * 20);
    for (let n = 0; n < 200_000; n++) addresses.add(`person${n}@example.com`);
    for (let n = 0; n < 1_000; n++) addresses.add(`person${n * 7}@example.com`);
    for (let n = 0; n < 1_000; n++) expect(addresses.has(`person${n * 7}@example.com`)).toBe(true);
    const others = Array.from({ length: 100_000 }, (_, n) => `person${n + 100_000}@example.com`);
    expect(others.filter((address) => addresses.has(address)).length).toBeLessThan(1_000);
  });
});
