import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { noteDot, noteLease, noteReport, noteSubjects } from './journal-lines.js';
import { readJournal } from './read-journal.js';

const folder = mkdtempSync(join(tmpdir(), 'tidings-journal-'));
const path = join(folder, 'journal');
let file: number;
const entry = (position: number) => ({ file, position, relayId: 1 });
const read = () => readJournal(readFileSync(path, 'utf8'));

describe('the lines of an attempt journal', () => {
  beforeEach(() => {
    file = openSync(path, 'w');
    closeSync(file);
    file = openSync(path, 'a');
    noteLease(file, 'boot', 'owner');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('say which dots may have been written, and what the relay replied to the last attempt', () => {
    jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    const accepted = { kind: 'replied', code: 250, response: '250 2.0.0 Grüße' } as const;
    const refused = { kind: 'replied', code: 550, response: '550 no', stage: 'RCPT' } as const;
    for (const position of [0, 7, 511]) noteDot(entry(position));
    noteReport(entry(7), accepted);
    noteReport(entry(9), refused);
    noteReport(entry(511), { kind: 'lost', dotWritten: true, reason: 'cut' });
    noteReport(entry(12), { kind: 'withheld', reason: 'late' });
    noteDot(entry(9));
    noteSubjects(file, new Map([[7, { subject: 'Hello Ada\n', values: ['Ada'] }]]));
    jest.restoreAllMocks();
    expect(read()).toEqual({
      boot: 'boot',
      owner: 'owner',
      attempts: new Map([
        [0, { relayId: 1, reply: null }],
        [7, { relayId: 1, reply: { at: 1_700_000_000_000, report: accepted } }],
        [511, { relayId: 1, reply: null }],
        [9, { relayId: 1, reply: null }],
      ]),
      subjects: new Map([[7, { subject: 'Hello Ada\n', values: ['Ada'] }]]),
    });
  });

  it('are read up to a last one that was being written', () => {
    noteDot(entry(3));
    writeSync(file, 'dot 4');
    expect([...read()!.attempts.keys()]).toEqual([3]);
  });

  it.each(['dot 4dot 5 1\n', 'dot\n', 'reply 4 1 {"at":1}\n', 'reply 4 1 {"at"\n', 'subject 4 {"subject":1}\n', '\n'])(
    'say nothing if one is damaged: %j',
    (damaged) => {
      noteDot(entry(3));
      writeSync(file, damaged);
      expect(read()).toBeNull();
    },
  );

  it('say nothing once one could not be written', () => {
    noteDot(entry(3));
    const closed = openSync(path, 'r');
    // A file that is not open for writing refuses the line, and the empty file that would say so.
    expect(() => noteDot({ ...entry(4), file: closed })).toThrow('ftruncate');
    closeSync(closed);
    // On a full disk the file is emptied, and later lines come without a first one.
    writeSync(openSync(path, 'w'), 'dot 5 1\n');
    expect(read()).toBeNull();
  });
});
