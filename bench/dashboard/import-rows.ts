import { createWriteStream, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const rowsPerPart = 10_000;

/** Writes a CSV file of subscribers into a folder of its own, about 80 bytes a row. @returns its path */
export async function writeRows(rows: number): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'tidings-import-')), 'people.csv');
  await pipeline(Readable.from(parts(rows)), createWriteStream(file));
  return file;
}

function* parts(rows: number): Generator<string> {
  yield 'email,name,city,member since\n';
  for (let from = 0; from < rows; from += rowsPerPart) {
    const count = Math.min(rowsPerPart, rows - from);
    yield Array.from({ length: count }, (_, n) => rowOf(from + n)).join('');
  }
}

const rowOf = (n: number): string =>
  `person.number.${n}@mail.example.org,Person Number ${n} of the List,Berlin-Mitte,2026-0${(n % 9) + 1}-15\n`;
