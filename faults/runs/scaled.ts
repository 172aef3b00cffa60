import type { FaultRig } from '../rig/fault-rig.js';
import { prepareCampaign, schedule } from './campaign.js';
import { runWorkflows } from './workflows.js';
import type { WorkflowsResult } from './workflows.js';

const recipients = 3_000;
/** Slow enough that campaign and workflow go on while processes come and leave. */
const course = { people: 3_000, mailRate: 120, strikes: [['scale-all', 0.05]] as const };

export interface ScaledResult extends WorkflowsResult {
  accepted: number;
  campaignInDoubt: number;
}

/** Four services go from one process to four and back to one while a campaign and a workflow of two organizations go on. */
export async function runScaled(rig: FaultRig, seed: number): Promise<ScaledResult> {
  const from = (await rig.sink.events()).length;
  const run = await prepareCampaign(rig.bus, `scaled-${seed}`, recipients);
  await schedule(rig.bus, run);
  const workflows = await runWorkflows(rig, seed, course);
  const { accepted, inDoubt, breaches } = await rig.judge(run, { from, doubtMax: rig.doubtMax });
  return { ...workflows, accepted, campaignInDoubt: inDoubt, breaches: [...workflows.breaches, ...breaches] };
}

/** The result as a line. */
export const scaledLine = ({
  accepted,
  campaignInDoubt,
  effects,
  lost,
  doubled,
  inDoubt,
  seconds,
}: ScaledResult): string =>
  `scale-all: ${recipients} recipients of a campaign and ${course.people} of a workflow, accepted ${accepted}, in doubt ${campaignInDoubt} and ${inDoubt}, ${effects} effects, lost ${lost}, doubled ${doubled}, ${seconds.toFixed(0)} s`;
