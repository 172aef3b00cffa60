import { deliveryRequests } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { MessageRepository } from '../message/message.repository.js';
import type { SendRepository } from './send.repository.js';

interface Dependencies {
  sends: SendRepository;
  messages: MessageRepository;
}

export const implementSendRequests = ({ sends, messages }: Dependencies) =>
  implement(deliveryRequests, {
    start_send: async (send, caller) => {
      await sends.insert(caller.organizationId, send);
      return { sendId: send.sendId };
    },

    get_send_progress: async ({ sendId }, caller) => {
      const progress = await sends.findProgress(caller.organizationId, sendId);
      if (!progress) throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return { progress };
    },

    set_send_state: async ({ sendId, state, reason }, caller) => {
      const now = await sends.updateState(caller.organizationId, sendId, { state, reason });
      if (!now) throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return { state: now };
    },

    view_message: () => Promise.resolve({ html: null }),

    list_send_messages: async ({ sendId, ...page }, caller) => {
      if (!(await sends.findState(caller.organizationId, sendId)))
        throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return await messages.listBySend(caller.organizationId, sendId, page);
    },
  });
