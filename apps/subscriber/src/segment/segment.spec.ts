import { describe, expect, it } from '@jest/globals';
import { copyNames } from './segment.js';

describe('names of copies', () => {
  it('are numbered, and never longer than a name may be', () => {
    const names = copyNames('x'.repeat(255));
    const [first, second] = [names.next().value as string, names.next().value as string];
    expect(first).toBe(`${'x'.repeat(248)} (copy)`);
    expect(second).toBe(`${'x'.repeat(246)} (copy 2)`);
  });
});
