import { deliveryRequests } from '#contracts';
import { assertWithinQuota, implement, ToolError } from '#tool-call';
import type { HitRepository } from '../report/tracking/hit.repository.js';
import { isMachineHit } from '../report/tracking/classify-hit.js';
import type { MailQuotaRepository } from '../limits/mail-quota.repository.js';
import type { MessageRepository } from '../message/message.repository.js';
import { onlineView } from '../report/online-view.service.js';
import type { OnlineViewParts } from '../report/online-view.service.js';
import { queueMessage, queueSystemMessage, queueTest } from '../accept/system-message/system-message.service.js';
import type { SystemMessageParts } from '../accept/system-message/system-message.service.js';
import { queueWorkflowMessages } from '../accept/workflow/workflow-message.service.js';
import type { WorkflowMessageRepository } from '../accept/workflow/workflow-message.repository.js';
import type { SendRepository } from './send.repository.js';

interface Dependencies extends OnlineViewParts {
  sends: SendRepository;
  messages: MessageRepository;
  own: SystemMessageParts;
  workflowMessages: WorkflowMessageRepository;
  quota: MailQuotaRepository;
  hits: HitRepository;
}

export const implementSendRequests = ({
  sends,
  messages,
  hits,
  own,
  workflowMessages,
  quota,
  ...views
}: Dependencies) =>
  implement(deliveryRequests, {
    start_send: async (send, caller) => {
      // A send that is requested again exists already, and is counted.
      if (await sends.insert(caller.organizationId, send))
        await quota.take(caller, caller.now.toISOString().slice(0, 7), send.total);
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

    view_message: async ({ messageId, period }, caller) => ({
      html: await onlineView({ messages, ...views }, { messageId, month: period }, caller),
    }),

    judge_click: async ({ messageId, period, at, userAgent }, { organizationId }) => {
      const acceptedAt = messageId === null ? null : await hits.findAcceptedAt(organizationId, messageId, period);
      return { machine: isMachineHit({ kind: 'click', at: new Date(at), userAgent, acceptedAt }) };
    },

    queue_message: async (asked, caller) => ({ messageId: await queueMessage(asked, own, caller) }),
    queue_system_message: async (asked, caller) => ({ messageId: await queueSystemMessage(asked, own, caller) }),
    queue_test: async (asked, caller) => ({ messageId: await queueTest(asked, own, caller) }),

    queue_workflow_messages: async (asked, caller) => ({
      accepted: await queueWorkflowMessages(asked, { workflowMessages, quota }, caller),
    }),

    assert_mails_fit: async ({ asked }, caller) => {
      const used = await quota.count(caller.organizationId, caller.now.toISOString().slice(0, 7));
      assertWithinQuota(caller, 'mailsPerMonth', { used, asked });
      return {};
    },

    list_sends: async ({ limit }, caller) => ({ sends: await sends.list(caller.organizationId, limit) }),

    list_send_pages: async ({ sendId, limit }, caller) => {
      if (!(await sends.findState(caller.organizationId, sendId)))
        throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return await sends.listPages(caller.organizationId, sendId, limit);
    },

    list_send_messages: async ({ sendId, ...page }, caller) => {
      if (!(await sends.findState(caller.organizationId, sendId)))
        throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return await messages.listBySend(caller.organizationId, sendId, page);
    },
  });
