import { explainMessageRequests } from '#contracts';
import { implement } from '#tool-call';
import type { AttemptMarkRepository } from '../../message/attempt-mark.repository.js';
import type { SubscriberMailClient } from '../../message/subscriber-mail.client.js';
import type { ProgressRepository } from '../../send/progress.repository.js';
import type { MessageSearchRepository } from './message-search.repository.js';

interface Dependencies {
  mails: SubscriberMailClient;
  marks: AttemptMarkRepository;
  messages: MessageSearchRepository;
  progress: ProgressRepository;
}

export const implementFindMessage = ({ mails, marks, messages, progress: progresses }: Dependencies) =>
  implement(explainMessageRequests, {
    find_message: async ({ messageId, sendId, subscriberId }, caller) => {
      const { organizationId } = caller;
      const findBySend = async (send: string, subscriber: string) =>
        await messages.findBySend(organizationId, send, await mails.find(subscriber, caller));
      const message =
        messageId === null
          ? sendId && subscriberId && (await findBySend(sendId, subscriberId))
          : await marks.find(organizationId, messageId, () => messages.find(organizationId, messageId));
      // The state of the send explains only why no message is there yet.
      const progress = sendId && !message ? await progresses.find(organizationId, sendId) : null;
      return {
        message: message || null,
        send: progress && {
          state: progress.state,
          pausedReason: progress.pausedReason,
          waitingFor: progress.waitingFor,
        },
      };
    },
  });
