import { describe, expect, it } from '@jest/globals';
import { deriveKey } from './derive-key.js';
import { OperatorPasses } from './operator-passes.js';

const passes = new OperatorPasses(deriveKey('5f'.repeat(32), 'operator-passes'));
const at = (seconds: number) => new Date(Date.parse('2026-05-02T12:00:00.000Z') + seconds * 1000);

describe('a pass of the operator’s command', () => {
  it('is valid for ten minutes, and differs each time', () => {
    const pass = passes.issue(at(0));
    expect(pass).toMatch(/^tdo_[\w-]+$/);
    expect([0, 599, 600].map((second) => passes.verify(pass, at(second)))).toEqual([true, true, false]);
    expect(passes.issue(at(0))).not.toBe(pass);
  });

  it('is refused with any letter changed, cut, or made by another key', () => {
    const pass = passes.issue(at(0));
    for (let place = 4; place < pass.length; place++) {
      const forged = `${pass.slice(0, place)}${pass[place] === 'A' ? 'B' : 'A'}${pass.slice(place + 1)}`;
      expect(passes.verify(forged, at(1))).toBe(false);
    }
    for (const wrong of ['tdo_', pass.slice(0, -1), `${pass}A`, `${pass}=`, 'tdo_'.padEnd(100_000, 'A')])
      expect(passes.verify(wrong, at(1))).toBe(false);
    const other = new OperatorPasses(deriveKey('60'.repeat(32), 'operator-passes')).issue(at(0));
    expect(passes.verify(other, at(1))).toBe(false);
  });

  it('is refused if it ends later than a pass issued now', () => {
    expect(passes.verify(passes.issue(at(60)), at(0))).toBe(false);
  });
});
