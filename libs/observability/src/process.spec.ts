import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { runProcess } from './process.js';

describe('a process', () => {
  const { disconnect } = process;
  afterEach(() => {
    jest.restoreAllMocks();
    Object.assign(process, { disconnect, exitCode: undefined });
  });

  it('whose settings are wrong says so without a stack, and ends with a status of its own', async () => {
    const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const leave = jest.fn();
    Object.assign(process, { disconnect: leave });
    await runProcess(() => {
      throw new Error('SMTP_URL: Invalid URL');
    });
    expect(told.mock.calls).toEqual([['SMTP_URL: Invalid URL\n']]);
    expect(leave).toHaveBeenCalledTimes(1);
    expect(process.exitCode).toBe(78);
  });
});
