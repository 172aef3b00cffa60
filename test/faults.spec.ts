import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defective, mutations } from '../faults/mutation/mutations.js';
import { strikeTargets } from '../faults/inject/process-fault.js';
import { startKillableServers } from '../faults/rig/servers.js';
import type { KillableServers } from '../faults/rig/servers.js';
import { FaultRig } from '../faults/rig/fault-rig.js';
import { runWorkflows } from '../faults/runs/workflows.js';

const recipients = 240;
const seed = 7;

jest.setTimeout(240_000);

describe('a system that is struck in the middle', () => {
  let servers: KillableServers;
  let rig: FaultRig;
  beforeAll(async () => {
    servers = await startKillableServers();
    rig = await FaultRig.start(servers, process.env.TIDINGS_BUILD_DIR!, { recipients });
  });
  afterAll(async () => {
    await rig.stop();
    await servers.stop();
  });

  it.each(strikeTargets)(
    'reaches every recipient of its campaign once, or reports the recipients in doubt: %s',
    async (target) => {
      const { verdict } = await rig.run(target, seed);
      expect(verdict.breaches).toEqual([]);
    },
  );

  it('takes every run of a workflow through its steps once', async () => {
    const course = { people: 300, mailRate: 1_000, strikes: [['workflow', 0.1]] as const };
    expect(await runWorkflows(rig, seed, course)).toMatchObject({ kills: 1, lost: 0, doubled: 0, breaches: [] });
  });
});

describe('a planted defect', () => {
  it.each(mutations)('has its place in the build: $name', (defect) => {
    expect(defective(process.env.TIDINGS_BUILD_DIR!, defect)).toContain(defect.plant);
  });
});
