import type { Args, deliveryRequests } from '#contracts';
import type { Caller } from '#tool-call';
import { sendOf } from './workflow-message.js';
import type { WorkflowMessageRepository } from './workflow-message.repository.js';

/** Queues a workflow's email for several people. @returns false when the email is not known yet and was not told */
export async function queueWorkflowMessages(
  { sendKey, subject, messages, mail }: Args<(typeof deliveryRequests)['calls']['queue_workflow_messages']>,
  repository: WorkflowMessageRepository,
  { organizationId, now }: Caller,
): Promise<boolean> {
  const month = now.toISOString().slice(0, 7);
  const first = sendOf(sendKey, month, 0);
  if (mail) await repository.insertSend(organizationId, { id: first, month }, mail);
  let left = messages;
  for (let round = 0; left.length > 0; round++) {
    const id = sendOf(sendKey, month, round);
    if (!(await repository.insertSendLike(organizationId, first, id))) return false;
    left = await repository.insert(organizationId, { id, month, subject }, left);
  }
  return true;
}
