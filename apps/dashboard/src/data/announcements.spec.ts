import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { announce, announcement, onAnnouncement } from './announcements.js';

beforeEach(() => {
  jest.useFakeTimers();
  jest.advanceTimersByTime(10_000);
});
afterEach(() => void jest.useRealTimers());

describe('announce', () => {
  it('speaks at once, then at most once in five seconds and the last only', () => {
    const heard: string[] = [];
    const end = onAnnouncement(() => heard.push(announcement()));
    for (const text of ['1 selected', '2 selected', '3 selected']) announce(text);
    expect(heard).toEqual(['1 selected']);
    jest.advanceTimersByTime(4_999);
    expect(heard).toEqual(['1 selected']);
    jest.advanceTimersByTime(1);
    expect(heard).toEqual(['1 selected', '3 selected']);
    end();
  });
});
