import { describe, expect, it } from '@jest/globals';
import { Lull } from './lull.js';

const hour = 3_600_000;
const found = (many: number) => () => Promise.resolve(many);

describe('a lull', () => {
  it('begins with a look that found nothing, and ends with a commit of this process', async () => {
    const contexts = { commits: 0 };
    const lull = new Lull(contexts, hour);
    expect(lull.over).toBe(true);
    expect(await lull.look(found(2))).toBe(2);
    expect(lull.over).toBe(true);
    await lull.look(found(0));
    expect(lull.over).toBe(false);
    contexts.commits += 1;
    expect(lull.over).toBe(true);
  });

  it('does not begin when something was committed while it was looked', async () => {
    const contexts = { commits: 0 };
    const lull = new Lull(contexts, hour);
    await lull.look(() => {
      contexts.commits += 1;
      return Promise.resolve(0);
    });
    expect(lull.over).toBe(true);
  });

  it('ends by itself', async () => {
    const lull = new Lull({ commits: 0 }, 0);
    await lull.look(found(0));
    expect(lull.over).toBe(true);
  });
});
