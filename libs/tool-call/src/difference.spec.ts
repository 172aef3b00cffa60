import { describe, expect, it } from '@jest/globals';
import { boundedDifferences, boundedFacts, textDifferences, valueDifferences } from './difference.js';

describe('differences that an approver sees', () => {
  it('names changed lines by their place, and nothing for equal texts', () => {
    expect(textDifferences('text', 'a\nb\nc', 'a\nb\nc')).toEqual([]);
    expect(textDifferences('text', 'a\nb\nc\nd', 'a\nB\nc\nd\ne')).toEqual([
      { path: 'text:2', before: 'b', after: 'B' },
      { path: 'text:5', before: null, after: 'e' },
    ]);
    expect(textDifferences('text', 'a\nb\nc', 'a\nc')).toEqual([{ path: 'text:2', before: 'b', after: null }]);
  });

  it('takes texts of very many lines as one change', () => {
    const lines = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n');
    expect(textDifferences('text', lines('a'), lines('b'))).toEqual([
      { path: 'text:1', before: lines('a'), after: lines('b') },
    ]);
  });

  it('compares values by name, and says how many changes it leaves out', () => {
    expect(valueDifferences({ a: 1, b: [1], c: 'x' }, { a: 1, b: [2], d: null })).toEqual([
      { path: 'b', before: [1], after: [2] },
      { path: 'c', before: 'x', after: null },
    ]);
    const many = Array.from({ length: 205 }, (_, n) => ({ path: `${n}`, before: null, after: n }));
    expect(boundedDifferences(many)).toHaveLength(201);
    expect(boundedDifferences(many).at(-1)).toEqual({ path: 'more', before: null, after: '5 more changes' });
  });

  it('shows a hundred facts, and instead of the last how many more there are', () => {
    const facts = (count: number) => Array.from({ length: count }, (_, n) => ({ label: 'Segment', value: `${n}` }));
    expect(boundedFacts(facts(100))).toEqual(facts(100));
    expect(boundedFacts(facts(101))).toEqual([...facts(99), { label: 'More', value: 'and 2 more' }]);
    const [long] = boundedFacts([{ label: 'Segment', value: 'x'.repeat(2_001) }]);
    expect(long).toEqual({ label: 'Segment', value: `${'x'.repeat(1_999)}…` });
  });
});
