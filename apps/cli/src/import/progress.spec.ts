import { describe, expect, it } from '@jest/globals';
import { ImportProgress } from './progress.js';

const half = { bytes: 50, sizeBytes: 100, imported: 1_000, updated: 200, refused: 34 };

function watch(redraws: boolean) {
  const notes: string[] = [];
  const drawn: string[] = [];
  let now = 5_000;
  const terminal = {
    say: () => undefined,
    note: (line: string) => void notes.push(line),
    redraws,
    redraw: (line: string) => void drawn.push(line),
  };
  const progress = new ImportProgress(terminal, () => now);
  return { notes, drawn, progress, pass: (ms: number) => (now += ms) };
}

describe('the progress of an import', () => {
  it('is a bar on a terminal, redrawn at most five times a second, and wiped at the end', () => {
    const { notes, drawn, progress, pass } = watch(true);
    progress.show(half);
    pass(199);
    progress.show(half);
    expect(drawn).toEqual([]);
    pass(1_801);
    progress.show(half);
    progress.show(half);
    const text = '50 %, 1,234 rows: 1,000 new, 200 updated, 34 refused, 617 rows/s';
    expect(drawn).toEqual([`[############............] ${text}`]);
    progress.end();
    expect(drawn.at(-1)).toBe('');
    expect(notes).toEqual([]);
  });

  it('is a plain line every five seconds elsewhere', () => {
    const { notes, drawn, progress, pass } = watch(false);
    for (let second = 0; second < 12; second++) {
      pass(1_000);
      progress.show(half);
    }
    progress.end();
    expect(notes).toEqual([expect.stringMatching(/247 rows\/s$/), expect.stringMatching(/123 rows\/s$/)]);
    expect(drawn).toEqual([]);
  });

  it('shows no share of a stream, whose size is unknown', () => {
    const stream = { bytes: 40_000, sizeBytes: 0, imported: 900, updated: 0, refused: 0 };
    const plain = watch(false);
    plain.pass(5_000);
    plain.progress.show(stream);
    expect(plain.notes).toEqual(['900 rows: 900 new, 0 updated, 0 refused, 180 rows/s']);
    const terminal = watch(true);
    terminal.pass(5_000);
    terminal.progress.show(stream);
    expect(terminal.drawn).toEqual(['900 rows: 900 new, 0 updated, 0 refused, 180 rows/s']);
  });
});
