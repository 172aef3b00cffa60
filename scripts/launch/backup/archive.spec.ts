import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ArchiveWriter, readArchive, whole } from './archive.mjs';

const first = { format: 1 };
/** Random enough that gzip does not hide a bit of it. */
const content = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 2_654_435_761) >>> 13).map((n) => n & 255));

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings-spec-'));
  file = path.join(folder, 'backup');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function write(passphrase?: string) {
  const source = path.join(folder, 'source');
  writeFileSync(source, content);
  const archive = await ArchiveWriter.start(createWriteStream(file), { first, passphrase, workFactor: 4 });
  await archive.addDirectory('postgres/base');
  expect(await archive.addFile('postgres/base/1', source)).toBe(true);
  expect(await archive.addFile('postgres/base/gone', path.join(folder, 'gone'))).toBe(false);
  await archive.add('choices.json', Buffer.from('[]'));
  await archive.finish({ marker: 'm' });
}

async function read(passphrase?: string) {
  const entries: Record<string, Buffer> = {};
  const manifest = await readArchive(file, {
    passphrase,
    onFirst: async (found) => {
      expect(found).toEqual(first);
    },
    onEntry: async ({ name, isDirectory, content: stream }) => {
      if (!isDirectory) entries[name] = await whole(stream);
    },
  });
  return { entries, manifest };
}

describe('a backup file', () => {
  it.each([undefined, 'a passphrase'])('returns its content (passphrase: %p)', async (passphrase) => {
    await write(passphrase);
    const { entries, manifest } = await read(passphrase);
    expect(entries['postgres/base/1']!.equals(content)).toBe(true);
    expect(Object.keys(entries)).toEqual(['postgres/base/1', 'choices.json']);
    expect(manifest).toMatchObject({ marker: 'm' });
  });

  it('that is encrypted needs its passphrase', async () => {
    await write('a passphrase');
    expect(readFileSync(file).includes('postgres')).toBe(false);
    await expect(read()).rejects.toThrow(/is encrypted: name the file of its passphrase/);
    await expect(read('another')).rejects.toThrow(/cannot be decrypted/);
  });

  it.each([undefined, 'a passphrase'])('is refused with any bit flipped (passphrase: %p)', async (passphrase) => {
    await write(passphrase);
    const bytes = readFileSync(file);
    for (const place of [0.05, 0.4, 0.7, 0.99].map((part) => Math.floor(bytes.length * part))) {
      const flipped = Buffer.from(bytes);
      flipped[place]! ^= 4;
      writeFileSync(file, flipped);
      await expect(read(passphrase)).rejects.toThrow(/damaged|decrypted/);
    }
  });

  it.each([undefined, 'a passphrase'])('is refused when it was cut (passphrase: %p)', async (passphrase) => {
    await write(passphrase);
    const { length } = readFileSync(file);
    for (const left of [length - 1, Math.floor(length / 2), 30]) {
      truncateSync(file, left);
      await expect(read(passphrase)).rejects.toThrow(/damaged|decrypted/);
    }
  });

  it('is no backup when it is something else', async () => {
    writeFileSync(file, 'a letter');
    await expect(read()).rejects.toThrow(/damaged/);
  });
});
