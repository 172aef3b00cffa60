import { parseArgs } from 'node:util';
import { reaction } from './latency.js';
import { through } from './throughput.js';
import { waiting } from './waiting.js';
import { Organization } from './organization.js';

const parts = { through, waiting, reaction };
const { values } = parseArgs({
  options: {
    /** Enrolments through WAIT, EMAIL and ACTION, a run. */
    size: { type: 'string', default: '20000' },
    /** Of these the median counts. */
    runs: { type: 'string', default: '3' },
    /** Runs that wait; a hundredth of them is due in one second. */
    waiting: { type: 'string', default: '1000000' },
    /** Enrolments a second while the reaction to tags is measured. */
    pace: { type: 'string', default: '50' },
    only: { type: 'string', multiple: true, default: Object.keys(parts) },
    /** Added to the environment of the services, for profilers: NAME=value. */
    environment: { type: 'string', multiple: true, default: [] },
  },
});

const chosen = values.only.map((name) => {
  const part = Object.entries(parts).find(([known]) => known === name)?.[1];
  if (!part) throw new Error(`No part is called ${name}; there are: ${Object.keys(parts).join(', ')}.`);
  return part;
});
for (const part of chosen) {
  const organization = await Organization.open(
    Object.fromEntries(values.environment.map((pair) => pair.split('=') as [string, string])),
  );
  try {
    const [size, runs, waitingRuns, pace] = [values.size, values.runs, values.waiting, values.pace].map(Number);
    await part(organization, { size: size!, runs: runs!, waiting: waitingRuns!, pace: pace! });
  } finally {
    await organization.close();
  }
}
