import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Harness } from '../harness/harness.js';
import { useFixture } from '../harness/use-fixture.js';
import { runSequence } from './run-sequence.js';
import { makeOrganization } from './suppression-fixture.js';
import { sequence } from './suppression-steps.js';

/** `SUPPRESSION_SEQUENCES=2000 SUPPRESSION_SEED=7 npm test -- test/suppression` runs more of them, or others. */
const sequences = Number(process.env.SUPPRESSION_SEQUENCES ?? 100);
const seed = Number(process.env.SUPPRESSION_SEED ?? 20261124);

describe('suppression', () => {
  const harness = useFixture(() => Harness.start());
  let organizations: Parameters<typeof runSequence>[1];
  beforeAll(async () => {
    organizations = {
      confirming: await makeOrganization(harness, true),
      plain: await makeOrganization(harness, false),
    };
  });

  it(
    'sends nothing after a subscriber’s last refusal or to a dead mailbox, and suppresses no other, in any order of events',
    async () => {
      const started = performance.now();
      let steps = 0;
      const property = fc.asyncProperty(sequence, async (one) => {
        steps += one.steps.length;
        await runSequence(harness, organizations, one);
      });
      const result = await fc.check(property, { numRuns: sequences, seed });
      const seconds = (performance.now() - started) / 1000;
      const each = `${((seconds * 1000) / (result.numRuns + result.numShrinks)).toFixed(0)} ms each`;
      process.stdout.write(`${result.numRuns} sequences, ${steps} steps, seed ${seed}, ${each}\n`);
      if (result.failed) {
        const shortest = (result.errorInstance as Error).message;
        throw new Error(`sequence ${result.numRuns} of seed ${seed} fails; the shortest that does:\n${shortest}`);
      }
      expect(result.numRuns).toBe(sequences);
    },
    60_000 + sequences * 3_000,
  );
});
