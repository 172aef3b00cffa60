import { describe, expect, it } from '@jest/globals';
import { readable } from './service-output.mjs';

const plain = (line: string) => line.replace(/\u001b\[\d+m/g, '');

describe('a log line on a terminal', () => {
  it('shows time, service, level, message and the rest', () => {
    const line =
      '{"time":"2030-01-02T03:04:05.678Z","level":"warn","service":"delivery","msg":"slow","ms":12,"to":"a"}';
    expect(plain(readable('delivery', line))).toBe('03:04:05.678 delivery   warn  slow ms=12 to=a');
  });

  it('shows the stack of an error below it, and lines that are no log as they are', () => {
    const line = '{"level":"error","msg":"failed","err":{"message":"no","stack":"Error: no\\n  at x"}}';
    expect(plain(readable('domain', line))).toMatch(/error failed\nError: no\n {2}at x$/);
    expect(plain(readable('domain', '{torn'))).toBe('domain     {torn');
  });
});
