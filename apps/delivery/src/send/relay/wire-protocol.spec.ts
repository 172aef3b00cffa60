import { describe, expect, it } from '@jest/globals';
import type { AttemptReport } from '../../message/attempt-report.js';
import { readReports, writeReport } from './wire-protocol.js';
import type { WireSigns } from './wire-protocol.js';

describe('reports between threads', () => {
  it('arrive as they were written, in order', () => {
    const none: WireSigns = {
      usable: false,
      again: false,
      unwelcome: false,
      misread: false,
      used: 'none',
      wireMs: 0,
    };
    const reports: [number, AttemptReport, WireSigns][] = [
      [
        7,
        { kind: 'replied', code: 250, response: '250 2.0.0 Ok' },
        { ...none, usable: true, used: 'ahead', wireMs: 1.5 },
      ],
      [0, { kind: 'replied', code: 421, response: '421 Ünlü', stage: 'MAIL' }, { ...none, unwelcome: true }],
      [
        3,
        { kind: 'replied', code: 550, response: '550 No', stage: 'END_OF_DATA' },
        { ...none, usable: true, used: 'group' },
      ],
      [2, { kind: 'lost', dotWritten: true, reason: 'Connection closed' }, { ...none, misread: true }],
      [9, { kind: 'lost', dotWritten: false, reason: 'Connection closed' }, { ...none, again: true }],
      [1, { kind: 'withheld', reason: 'held too long' }, none],
    ];
    const batch = { numbers: [], texts: [] };
    for (const [index, report, signs] of reports) writeReport(batch, index, report, signs);
    const read: typeof reports = [];
    readReports(structuredClone(batch), (...one) => read.push(one));
    expect(read).toEqual(reports);
  });
});
