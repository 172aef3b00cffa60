/** @jest-environment jsdom */
import { describe, expect, it } from '@jest/globals';
import { frameHeight } from './mail-frame.js';

describe('frameHeight', () => {
  it('takes the height of the mail within its bounds', () => {
    expect([0, 640.2, 1e9].map(frameHeight)).toEqual([120, 641, 20_000]);
  });

  it('takes the smallest for what is no number', () => {
    expect(['900', Number.NaN, Infinity, null].map(frameHeight)).toEqual([120, 120, 120, 120]);
  });
});
