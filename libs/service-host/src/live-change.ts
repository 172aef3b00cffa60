import type { NewLiveUpdate } from '#bus';
import type { CallContract, LiveUpdateName } from '#contracts';
import type { Caller } from '#tool-call';

/** What a call of a service changes, by the field that names the record. */
const changesOf: Record<string, readonly { noun: string; name: LiveUpdateName }[]> = {
  campaign: [{ noun: 'campaign', name: 'campaign.changed' }],
  workflow: [{ noun: 'workflow', name: 'workflow.changed' }],
  domain: [{ noun: 'domain', name: 'domain.changed' }],
  subscriber: [
    { noun: 'import', name: 'import.progress' },
    { noun: 'export', name: 'export.progress' },
  ],
};

const approvalCalls: Record<string, LiveUpdateName> = {
  ask_approval: 'approval.asked',
  ask_approval_again: 'approval.asked',
  decide_approval: 'approval.decided',
  withdraw_approval: 'approval.decided',
};

/** Requests that change nothing, though they have no read transaction. */
const readsOnly = /^(?:get|list|find|render)_/;
/** Calls about the subscribers of a workflow, whose runs report themselves. */
const aboutRuns = /_subscribers?_|_subscriber$/;

/**
 * The update of an executed call, from its arguments and data.
 * @returns null for a call that changes none of the records that are watched
 */
export function liveChangeOf(
  service: string,
  { name, contract }: { name: string; contract: CallContract },
  { args, data }: { args: unknown; data: unknown },
  { organizationId, actor }: Caller,
): NewLiveUpdate | null {
  if (contract.transaction === 'read' || !isChange(name, contract)) return null;
  if (service === 'workflow' && aboutRuns.test(name)) return null;
  const approval = approvalCalls[name];
  const changes = approval ? [{ noun: 'approval', name: approval }] : (changesOf[service] ?? []);
  for (const change of changes) {
    const key = `${change.noun}Id`;
    const record = (data as Record<string, { id?: unknown } | null | undefined> | null)?.[change.noun];
    const id = record?.id ?? fieldOf(data, key) ?? fieldOf(args, key);
    if (typeof id !== 'string') continue;
    return { name: change.name, id, organization: organizationId, ...(actor && { by: actor.id }) };
  }
  return null;
}

const isChange = (name: string, contract: CallContract): boolean =>
  'scope' in contract ? !['read', 'test'].includes(contract.scope as string) : !readsOnly.test(name);

const fieldOf = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null | undefined)?.[key];
