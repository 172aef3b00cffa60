import { describe, expect, it } from '@jest/globals';
import { CountSemaphore } from './count-semaphore.js';

describe('CountSemaphore', () => {
  it('starts no count after its deadline', async () => {
    const late = new CountSemaphore(1).run({ organizationId: 'org_1', deadline: Date.now() - 1 }, () =>
      Promise.resolve('done'),
    );
    await expect(late).rejects.toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
  });

  it('returns what the count returns and throws what it throws', async () => {
    const semaphore = new CountSemaphore(1);
    const caller = { organizationId: 'org_1', deadline: Date.now() + 600_000 };
    await expect(semaphore.run(caller, () => Promise.reject(new Error('spoilt')))).rejects.toThrow('spoilt');
    expect(await semaphore.run(caller, () => Promise.resolve(3))).toBe(3);
  });
});
