import { createHash } from 'node:crypto';

/** Two to the 48th: the number of hash bits that fit safely into a JavaScript number. */
const range = 2 ** 48;

/** Returns the branch of a subscriber at a SPLIT: always the same for a workflow, step and subscriber. */
export function splitBranch(
  branches: readonly { name: string; weight: number }[],
  key: { workflowId: string; stepId: string; subscriberId: string },
): string {
  const digest = createHash('sha256').update(`${key.workflowId} ${key.stepId} ${key.subscriberId}`).digest();
  const total = branches.reduce((sum, { weight }) => sum + weight, 0);
  let left = (digest.readUIntBE(0, 6) / range) * total;
  for (const { name, weight } of branches) {
    if (left < weight) return name;
    left -= weight;
  }
  return branches.findLast(({ weight }) => weight > 0)!.name;
}
