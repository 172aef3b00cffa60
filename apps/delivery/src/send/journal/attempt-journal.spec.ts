import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newSendUuid, newUuid, wireId } from '#database';
import { createLogger } from '#observability';
import { killSocket } from '../../../test/journal-fixture.js';
import type { LeasedChunk } from '../chunk/chunk.js';
import { AttemptJournal } from './attempt-journal.service.js';
import { noteDot } from './journal-lines.js';

const log = createLogger('spec', 'silent');
const sendId = wireId('send', newSendUuid());
const chunk = (fence: string): LeasedChunk => ({ sendId, pageNo: 2, fence }) as LeasedChunk;

describe('attempt journals', () => {
  let data: string;
  let folder: string;
  let opened: AttemptJournal[];
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'tidings-journal-'));
    folder = join(data, 'attempts');
    opened = [];
  });
  afterEach(async () => {
    for (const one of opened) await one.stop();
    rmSync(data, { recursive: true });
  });
  const open = async (owner: string = newUuid(), at: string | undefined = data) => {
    const journal = new AttemptJournal(at, owner, log);
    opened.push(journal);
    await journal.start();
    return { journal, die: () => killSocket(join(folder, `${owner}.sock`)) };
  };

  it('of a process that has ended are read by others, once', async () => {
    const dead = await open();
    const lease = dead.journal.begin(chunk('1'))!;
    noteDot(lease.entry(17, 2));
    const { journal } = await open();
    expect(await journal.earlier(chunk('2'))).toEqual([]);
    await dead.die();
    const found = await journal.earlier(chunk('2'));
    expect(found).toMatchObject([{ fence: '1', attempts: new Map([[17, { relayId: 2, reply: null }]]) }]);
    expect(await journal.earlier({ ...chunk('2'), pageNo: 22 })).toEqual([]);
    journal.forget(found);
    expect(await journal.earlier(chunk('2'))).toEqual([]);
  });

  it('of before the machine started are not', async () => {
    const dead = await open();
    dead.journal.begin(chunk('1'));
    const [name] = readdirSync(folder).filter((one) => !one.endsWith('.sock'));
    const text = readFileSync(join(folder, name!), 'utf8');
    await dead.die();
    const { journal } = await open();
    expect(await journal.earlier(chunk('2'))).toHaveLength(1);
    writeFileSync(join(folder, name!), text.replace(/^(\S+ \S+ 1) \S+/, '$1 another-boot'));
    expect(await journal.earlier(chunk('2'))).toEqual([]);
  });

  it('end with their lease, and the socket with the process', async () => {
    const { journal } = await open();
    journal.begin(chunk('1'))!.end(true);
    await journal.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that are not in the ledger stay, with the socket', async () => {
    const { journal } = await open();
    journal.begin(chunk('1'))!.end(false);
    await journal.stop();
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('that are old go at the next start, and the sockets of their processes', async () => {
    const dead = await open();
    dead.journal.begin(chunk('1'));
    await dead.die();
    await open();
    expect(readdirSync(folder)).toHaveLength(3);
    const [name] = readdirSync(folder).filter((one) => !one.endsWith('.sock'));
    utimesSync(join(folder, name!), 1, 1);
    const last = await open();
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await last.journal.earlier(chunk('2'))).toEqual([]);
  });

  it('are in a folder of any length', async () => {
    const long = join(data, 'long'.repeat(30));
    mkdirSync(long);
    const { journal } = await open(newUuid(), long);
    expect(journal.begin(chunk('1'))).not.toBeNull();
  });

  it('are left out where there is no folder, or none can be made', async () => {
    writeFileSync(join(data, 'file'), '');
    for (const at of [undefined, join(data, 'file'), join(data, 'missing'), '/proc']) {
      const journal = new AttemptJournal(at, newUuid(), log);
      await journal.start();
      expect([journal.begin(chunk('1')), await journal.earlier(chunk('2'))]).toEqual([null, []]);
    }
  });
});
