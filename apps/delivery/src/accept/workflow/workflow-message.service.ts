import type { Args, messageRequests } from '#contracts';
import type { Caller } from '#tool-call';
import type { MailQuotaRepository } from '../../limits/mail-quota.repository.js';
import { sendOf } from './workflow-message.js';
import type { WorkflowMessageRepository } from './workflow-message.repository.js';

interface Repositories {
  workflowMessages: WorkflowMessageRepository;
  quota: MailQuotaRepository;
}

/**
 * @returns false if the email is not stored yet and the call does not include it
 * @throws ToolError QUOTA_REACHED
 */
export async function queueWorkflowMessages(
  { sendKey, subject, messages, mail }: Args<(typeof messageRequests)['calls']['queue_workflow_messages']>,
  { workflowMessages: repository, quota }: Repositories,
  caller: Caller,
): Promise<boolean> {
  const { organizationId, now } = caller;
  const month = now.toISOString().slice(0, 7);
  const first = sendOf(sendKey, month, 0);
  if (mail) await repository.insertSend(organizationId, { id: first, month }, mail);
  let made = 0;
  let left = messages;
  for (let round = 0; left.length > 0; round++) {
    const id = sendOf(sendKey, month, round);
    if (!(await repository.insertSendLike(organizationId, first, id))) return false;
    const queued = await repository.insert(organizationId, { id, month, subject }, left);
    made += queued.made;
    left = queued.left;
  }
  await quota.take(caller, month, made);
  return true;
}
