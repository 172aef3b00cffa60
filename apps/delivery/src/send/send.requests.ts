import { deliveryRequests } from '#contracts';
import { assertWithinQuota, implement, ToolError } from '#tool-call';
import { isByPosition, uuidOf } from '#database';
import type { FeatureRepository } from '#database';
import type { Args, EventData } from '#contracts';
import type { Outbox } from '#events';
import type { MailQuotaRepository } from '../limits/mail-quota.repository.js';
import type { MessageRepository } from '../message/message.repository.js';
import type { ProgressRepository } from './progress.repository.js';
import { subjectParts } from './ledger/subject-values.js';
import type { SubjectSegment } from './ledger/subject-values.js';
import type { SendRepository } from './send.repository.js';

interface Dependencies {
  features: FeatureRepository;
  outbox: Outbox;
  sends: SendRepository;
  progress: ProgressRepository;
  messages: MessageRepository;
  quota: MailQuotaRepository;
}

export const implementSendRequests = ({ features, outbox, sends, progress, messages, quota }: Dependencies) =>
  implement(deliveryRequests, {
    start_send: async (send, caller) => {
      const layout = await layoutOf(features, send.sendId);
      // A send that is requested again exists already, and is counted.
      if (await sends.insert(caller.organizationId, send, layout)) {
        await quota.take(caller, caller.now.toISOString().slice(0, 7), send.total);
        if (layout === 1) outbox.add(caller.organizationId, 'send.started', startedOf(send, caller.now), send.sendId);
      }
      return { sendId: send.sendId };
    },

    get_send_progress: async ({ sendId }, caller) => {
      const found = await progress.find(caller.organizationId, sendId);
      if (!found) throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return { progress: found };
    },

    set_send_state: async ({ sendId, state, reason }, caller) => {
      const now = await sends.updateState(caller.organizationId, sendId, { state, reason });
      if (!now) throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      return { state: now };
    },

    assert_mails_fit: async ({ asked }, caller) => {
      const used = await quota.count(caller.organizationId, caller.now.toISOString().slice(0, 7));
      assertWithinQuota(caller, 'mailsPerMonth', { used, asked });
      return {};
    },

    count_mails: async (_args, { organizationId, now }) => ({
      mails: await quota.count(organizationId, now.toISOString().slice(0, 7)),
    }),

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

/** A send goes to the ledger once all replicas know it, and its id leaves room for positions. */
async function layoutOf(features: FeatureRepository, sendId: string): Promise<0 | 1> {
  if (!isByPosition(uuidOf('send', sendId) ?? '')) return 0;
  return (await features.isEnabled('send.ledger')) && (await features.isEnabled('messages.settled')) ? 1 : 0;
}

const startedOf = (
  { sendId, campaignId, campaignName, template }: Args<(typeof deliveryRequests)['calls']['start_send']>,
  now: Date,
): EventData<'send.started'> => ({
  sendId,
  campaignId,
  campaignName,
  subjectParts: subjectParts((template as { subject: SubjectSegment[] }).subject),
  at: now.toISOString(),
});
