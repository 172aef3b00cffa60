import { explainMessageRequests } from '#contracts';
import { implement } from '#tool-call';
import type { ProgressRepository } from '../../send/progress.repository.js';
import type { MessageSearchRepository } from './message-search.repository.js';

interface Dependencies {
  messages: MessageSearchRepository;
  progress: ProgressRepository;
}

export const implementFindMessage = ({ messages, progress: progresses }: Dependencies) =>
  implement(explainMessageRequests, {
    find_message: async ({ messageId, sendId, subscriberId }, { organizationId }) => {
      const message =
        messageId === null
          ? sendId && subscriberId && (await messages.findBySend(organizationId, sendId, subscriberId))
          : await messages.find(organizationId, messageId);
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
