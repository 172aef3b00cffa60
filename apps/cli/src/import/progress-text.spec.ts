import { describe, expect, it } from '@jest/globals';
import { progressText } from '../import.command.js';

describe('the progress of an import', () => {
  const running = { state: 'RUNNING' as const, rows: 10_000, done: 2_500, ratePerSecond: 50 };

  it('shows a bar, the rows, the rate and the time left', () => {
    expect(progressText(running)).toBe(
      '[######..................] 25 % 2,500 of 10,000 rows imported, 50 rows/s, 3 min left',
    );
  });

  it('shows no rate before there is one, and no share before the number of rows is known', () => {
    expect(progressText({ ...running, done: 0, ratePerSecond: null })).toBe(
      '[........................] 0 % 0 of 10,000 rows imported',
    );
    expect(progressText({ ...running, state: 'CHECKING', rows: null })).toBe('2,500 rows checked, 50 rows/s');
    expect(progressText({ ...running, rows: 0, done: 0 })).toContain('100 %');
  });
});
