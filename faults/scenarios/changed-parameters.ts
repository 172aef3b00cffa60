import { callTool } from '../load/gateway-client.js';
import type { FaultRig } from '../rig/fault-rig.js';

/** Confirms a campaign for another day than the one the code was given for. */
export async function changedParameters({ system }: FaultRig): Promise<string[]> {
  const data = async (tool: string, input: object) => (await callTool(system, { tool, input })).body.data;
  await data('add_subscriber', { email: 'ada@faults.internal' });
  const { campaignId } = (await data('create_campaign', { subject: 'Once' })) as { campaignId: string };
  const confirm = async (date: string, confirmationCode?: unknown) =>
    await callTool(system, { tool: 'schedule_campaign', input: { campaignId, date, confirmationCode } });
  const { confirmationCode: code } = (await confirm('2037-01-01')).body;
  const changed = await confirm('2037-01-02', code);
  if (changed.status === 200) return ['a code confirmed other parameters than those it was given for'];
  const right = await confirm('2037-01-01', code);
  return right.status === 200 ? [] : [`the right code was answered ${right.status} ${JSON.stringify(right.body)}`];
}
