import type { Client } from '#bus';
import type { subscriberRequests } from '#contracts';
import { uuidOf } from '#database';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import type { AttemptMarkRepository } from '../../message/attempt-mark.repository.js';
import type { MessageRepository } from '../../message/message.repository.js';
import { SendBlocked } from '../../send/render/render-plan.service.js';
import type { RenderPlanService } from '../../send/render/render-plan.service.js';

export interface OnlineViewDependencies {
  messages: MessageRepository;
  marks: AttemptMarkRepository;
  mails: RenderPlanService;
  subscribers: Client<typeof subscriberRequests>;
}

/**
 * Renders the online version of a message again: a campaign's messages are not stored.
 * @param month YYYY-MM of the send
 * @returns null when the message, its send or its recipient is gone
 * @throws ToolError MESSAGE_IN_PROGRESS before the outcome of its attempt is recorded
 */
export async function onlineView(
  { messages, marks, mails, subscribers }: OnlineViewDependencies,
  { messageId, month }: { messageId: string; month: string },
  caller: Caller,
): Promise<string | null> {
  const message = await marks.find(caller.organizationId, messageId, () =>
    messages.findAttempted(caller.organizationId, messageId, month),
  );
  if (!message) return null;
  try {
    const mail = await mails.get(caller.organizationId, message.sendId);
    const request = { subscriberId: message.subscriberId, showIf: mail.showIf };
    const { recipient } = await subscribers.get_recipient(request, caller);
    return mail.view({
      messageId: uuidOf('msg', messageId)!,
      subscriberId: uuidOf('sub', message.subscriberId)!,
      recipient,
    });
  } catch (error) {
    if (error instanceof SendBlocked || (error instanceof RemoteFailure && isGone(error))) return null;
    throw error;
  }
}

const isGone = ({ failure: { code } }: RemoteFailure): boolean => code === 'NOT_FOUND' || code === 'INVALID_STATE';
