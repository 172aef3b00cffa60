import { deliveryInspectionTools } from '#contracts';
import { uuidOf } from '#database';
import { implement, summarise, ToolError } from '#tool-call';
import type { AttemptMarkRepository } from '../../message/attempt-mark.repository.js';
import type { ProgressRepository } from '../../send/progress.repository.js';
import type { SendRepository } from '../../send/send.repository.js';
import { readMessageCursor } from './message-cursor.js';
import type { MessageSearchRepository } from './message-search.repository.js';
import type { SendListRepository } from './send-list.repository.js';

interface Dependencies {
  sends: SendRepository;
  progresses: ProgressRepository;
  lists: SendListRepository;
  messages: MessageSearchRepository;
  marks: AttemptMarkRepository;
}

/** Pages of chunks are not listed here; their states are counted. */
const noPages = 1;

export const implementInspectionTools = ({ sends, progresses, lists, messages, marks }: Dependencies) =>
  implement(deliveryInspectionTools, {
    list_sends: async ({ state = null, cursor = null, limit }, { organizationId }) => {
      if (cursor !== null && uuidOf('send', cursor) === null) throw wrongCursor();
      const found = await lists.list(organizationId, { state, cursor, limit: limit + 1 });
      const shown = found.slice(0, limit);
      return { sends: shown, nextCursor: found.length > limit ? shown.at(-1)!.sendId : null };
    },

    get_send: async ({ sendId = null, campaignId = null }, { organizationId }) => {
      const names = ['sendId', 'campaignId'];
      if (sendId === null && campaignId === null) throw new ToolError('IDENTIFIER_MISSING', { names });
      const send = await lists.find(organizationId, { sendId, campaignId });
      if (!send)
        throw new ToolError('SEND_NOT_FOUND', sendId === null ? { id: campaignId!, by: 'campaignId' } : { id: sendId });
      if (campaignId !== null && send.campaignId !== campaignId) throw new ToolError('IDENTIFIERS_DISAGREE', { names });
      const [progress, { states }, backoff] = await Promise.all([
        progresses.find(organizationId, send.sendId),
        sends.listPages(organizationId, send.sendId, noPages),
        lists.findRelayBackoff(),
      ]);
      const { pending, ratePerSecond } = progress!;
      return {
        send: {
          ...progress!,
          campaignName: send.campaignName,
          chunks: { ready: states.READY ?? 0, leased: states.LEASED ?? 0, done: states.DONE ?? 0 },
          relay: {
            relayId: 'default',
            backoffUntil: backoff?.until.toISOString() ?? null,
            reason: backoff?.reason ?? null,
          },
          etaSeconds: ratePerSecond > 0 ? Math.ceil(pending / ratePerSecond) : null,
        },
      };
    },

    list_messages: async ({ query, status, campaignId, from, to, cursor, limit }, { organizationId }) => {
      const [earliest, latest] = [from, to].map((text) => (text === undefined ? null : new Date(text)));
      if (earliest && latest && latest < earliest) throw wrong('to', 'must not be before from');
      const after = cursor === undefined ? null : readMessageCursor(cursor);
      if (cursor !== undefined && after === null) throw wrongCursor();
      return await messages.list(organizationId, {
        query,
        status,
        campaignId,
        after,
        limit,
        from: earliest ?? null,
        to: latest ?? null,
      });
    },

    get_message: async ({ messageId }, { organizationId }) => {
      const message = await marks.find(organizationId, messageId, () => messages.findStored(organizationId, messageId));
      if (!message) throw new ToolError('MESSAGE_NOT_FOUND', { id: messageId });
      const [replies, content] = await Promise.all([
        messages.listReplies(organizationId, message),
        messages.findContent(organizationId, message),
      ]);
      return { message: message.shown, replies, content };
    },
  });

const wrongCursor = (): ToolError => wrong('cursor', 'must be the nextCursor of the previous page');

function wrong(name: string, message: string): ToolError {
  const issues = [{ path: [name], message }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
