import { describe, expect, it } from '@jest/globals';
import { importBytesMax } from '#contracts';
import { fileBytesMax, otherFile, problemOf } from './file-rules.js';

describe('a file of an import', () => {
  it('is refused before its upload when the API would not take it', () => {
    expect(fileBytesMax).toBe(importBytesMax);
    expect(problemOf({ name: 'a.csv', size: importBytesMax })).toBeNull();
    expect(problemOf({ name: 'a.csv', size: importBytesMax + 1 })).toContain('at most 1 GiB');
    expect(problemOf({ name: 'a.csv', size: 0 })).toBe('a.csv is empty.');
  });

  it('goes on only as the file that it began with', () => {
    const begun = { name: 'a.csv', receivedBytes: 100 };
    expect(otherFile(begun, { name: 'a.csv', size: 100 })).toBeNull();
    expect(otherFile(begun, { name: 'b.csv', size: 100 })).toContain('This import is of a.csv');
    expect(otherFile(begun, { name: 'a.csv', size: 99 })).toContain('smaller');
    expect(otherFile({ name: 'a.csv', receivedBytes: 0 }, { name: 'b.csv', size: 5 })).toBeNull();
    expect(otherFile({ name: null, receivedBytes: 100 }, { name: 'b.csv', size: 100 })).toBeNull();
  });
});
