import { describe, expect, it } from '@jest/globals';
import { truncate, tokensOf } from './truncate-result.js';

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `sub_${n}`, email: `person${n}@shop.internal`, tags: ['a', 'b'] }));

describe('an answer to an agent', () => {
  it('is whole when it fits', () => {
    const data = { subscribers: people(3), total: 3, nextCursor: null };
    expect(truncate(data, { pages: true, limits: true })).toEqual({ data, note: null });
  });

  it('is cut at a row, with the cursor to go on', () => {
    const data = { subscribers: people(1_000), total: 1_000, nextCursor: null };
    const { data: cut, note } = truncate(data, { pages: true, limits: true }, 5_000);
    const rows = cut.subscribers as { id: string }[];
    expect(rows.length).toBeGreaterThan(50);
    expect(rows).toEqual(data.subscribers.slice(0, rows.length));
    expect(cut.nextCursor).toBe(rows.at(-1)!.id);
    expect(tokensOf(cut)).toBeLessThanOrEqual(5_000);
    expect(note).toContain(`first ${rows.length} of 1000 rows`);
    expect(data.subscribers).toHaveLength(1_000);
  });

  it('says how to ask for less where there is no cursor', () => {
    const { data, note } = truncate({ campaigns: people(1_000), page: 1 }, { pages: false, limits: true }, 2_000);
    expect(tokensOf(data)).toBeLessThanOrEqual(2_000);
    expect(note).toContain('smaller limit');
  });

  it('is cut at a row of a CSV text, whose values may have lines of their own', () => {
    const rows = people(1_000).map(({ id, email }) => `${id},${email},"one\ntwo"\r\n`);
    const { data, note } = truncate({ csv: rows.join(''), count: 1_000 }, { pages: false, limits: true }, 2_000);
    const kept = (data.csv as string).split('\r\n').length - 1;
    expect(kept).toBeGreaterThan(50);
    expect(data.csv).toBe(rows.slice(0, kept).join(''));
    expect(tokensOf(data)).toBeLessThanOrEqual(2_000);
    expect(note).toContain(`csv has the first ${kept} of 1000 rows.`);
  });

  it('keeps every row by leaving out schemas next to an example', () => {
    const params = { type: 'object', description: 'word '.repeat(20) };
    const operators = Array.from({ length: 100 }, (_, n) => ({ operator: `OP_${n}`, params, example: { value: n } }));
    const { data, note } = truncate({ operators }, { pages: false, limits: false }, 3_000);
    expect(data.operators).toEqual(operators.map((one) => ({ ...one, params: {} })));
    expect(note).toContain('params are left out');
    expect(operators[0]!.params).toBe(params);
  });

  it('is cut at its longest text, in any alphabet, and inside documents', () => {
    for (const text of ['word '.repeat(40_000), '字'.repeat(40_000), '😀'.repeat(40_000)]) {
      const nested = {
        page: {
          content: [
            { kind: 'text', text },
            { kind: 'text', text: 'short' },
          ],
        },
        total: 1,
      };
      const { data, note } = truncate(nested, { pages: false, limits: false }, 3_000);
      expect(tokensOf(data)).toBeLessThanOrEqual(3_000);
      expect(note).toContain('too long');
      expect(data.total).toBe(1);
    }
  });
});
