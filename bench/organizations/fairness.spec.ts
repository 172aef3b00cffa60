import { describe, expect, it } from '@jest/globals';
import { extremes, worstRatio } from './fairness.js';
import type { Course } from './fairness.js';

const course = (got: number[], startedAt = 0, endedAt = got.length - 1): Course => ({
  organizationId: '',
  startedAt,
  endedAt,
  got,
});

describe('the worst ratio of two organizations', () => {
  it('is 2 when one gets a chunk before the other gets its first', () => {
    expect(worstRatio([course([0, 500, 500, 1000]), course([0, 0, 500, 1000])], 500)).toBe(2);
  });

  it('is above 2 when one gets two chunks meanwhile', () => {
    expect(worstRatio([course([0, 500, 1000]), course([0, 0, 0, 0, 1000])], 500)).toBe(3);
  });

  it('counts from the start of the later one', () => {
    const early = course([0, 500, 1000, 1500, 2000]);
    expect(worstRatio([early, course([0, 0, 0, 500, 1000], 2)], 500)).toBe(1);
    expect(worstRatio([early, course([0, 0, 0, 0, 500], 1.5)], 500)).toBe(2);
  });

  it('leaves out what came after the end of the one that got less', () => {
    expect(worstRatio([course([0, 500, 1000, 5000]), course([0, 500, 1000, 1000], 0, 2)], 500)).toBe(1);
  });
});

it('names the least and the most of those that have work left', () => {
  const courses = [course([0, 1, 2, 2], 0, 2), course([0, 0, 0, 4]), course([0, 0, 1, 3], 0.5)];
  expect(extremes(courses, 0, 3)).toEqual({ waiting: 1, least: 4, most: 4 });
  expect(extremes(courses, 0, 2)).toEqual({ waiting: 2, least: 0, most: 2 });
});
