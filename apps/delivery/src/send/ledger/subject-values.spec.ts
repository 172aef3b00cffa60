import { describe, expect, it } from '@jest/globals';
import { subjectParts, subjectValues } from './subject-values.js';

const parts = ['News for ', ' of ', '!'];

describe('the values of a subject', () => {
  it('are found between its texts', () => {
    expect(subjectParts(['News for ', 0, ' of ', { if: 1 }, '!'])).toEqual(parts);
    expect(subjectParts(['News'])).toEqual(['News']);
    expect(subjectValues(['News'], 'News')).toBeNull();
    expect(subjectValues(parts, 'News for Ada of May!')).toEqual(['Ada', 'May']);
    expect(subjectValues(['', ''], 'Ada')).toEqual(['Ada']);
  });

  it.each([
    [parts, 'News for  of !'],
    [parts, 'News for Ada of Ada of May!'],
    [parts, 'News for ! of !!'],
    [['', '', ' news'], 'Ada Doe news'],
    [['', ' and ', ''], 'Ada and Bob and Eve'],
    [['Hello ', ''], 'Hello Ada'],
  ])('make the subject again: %p %p', (between, subject) => {
    const values = subjectValues(between, subject)!;
    expect(values).toHaveLength(between.length - 1);
    expect(
      between
        .map((part, n) => (n === 0 ? part : `${values[n - 1]}${part}`))
        .join('')
        .trim(),
    ).toBe(subject);
  });

  it.each([
    [['Hello ', ''], 'Hello'],
    [['', ' news'], 'news'],
    [['Hello ', ' '], 'Hello'],
  ])('are empty where the subject was trimmed beside one: %p %p', (between, subject) => {
    expect(subjectValues(between, subject)).toEqual(['']);
  });
});
