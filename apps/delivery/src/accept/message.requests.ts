import { messageRequests } from '#contracts';
import { implement } from '#tool-call';
import type { MailQuotaRepository } from '../limits/mail-quota.repository.js';
import { queueMessage, queueSystemMessage, queueTest } from './system-message/system-message.service.js';
import type { SystemMessageDependencies } from './system-message/system-message.service.js';
import { queueWorkflowMessages } from './workflow/workflow-message.service.js';
import type { WorkflowMessageRepository } from './workflow/workflow-message.repository.js';

interface Dependencies extends SystemMessageDependencies {
  workflowMessages: WorkflowMessageRepository;
  quota: MailQuotaRepository;
}

export const implementMessageRequests = (dependencies: Dependencies) =>
  implement(messageRequests, {
    queue_message: async (asked, caller) => ({ messageId: await queueMessage(asked, dependencies, caller) }),

    queue_system_message: async (asked, caller) => ({
      messageId: await queueSystemMessage(asked, dependencies, caller),
    }),

    queue_test: async (asked, caller) => ({ messageId: await queueTest(asked, dependencies, caller) }),

    queue_workflow_messages: async (asked, caller) => ({
      accepted: await queueWorkflowMessages(asked, dependencies, caller),
    }),
  });
