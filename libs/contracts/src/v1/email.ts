import { z } from 'zod';
import { warnings } from '../common.js';
import { addressRequests } from '../requests/address.js';
import { writtenEmailRequests } from '../requests/v1-email.js';
import { callsOf, composeEndpoint, defineEndpoint } from './define.js';

const { send_written_email: send } = writtenEmailRequests.calls;
const notTransactional = 'transactional is always true here: send marketing mail as a campaign.';
const notTracked = 'Transactional email is not tracked; tracking was ignored.';

export const emailEndpoints = [
  composeEndpoint(callsOf(writtenEmailRequests, 'send_written_email'), {
    method: 'POST',
    path: '/emails',
    summary: 'Sends one transactional email, without confirmation.',
    scope: 'send',
    unasked: true,
    names: { tiptap: 'content', html: 'content' },
    parameters: z.object({
      ...send.input.shape,
      contentType: send.input.shape.contentType.default('MARKDOWN'),
      transactional: z.boolean().default(true),
      tracking: z.object({ links: z.boolean().optional(), open: z.boolean().optional() }).optional(),
    }),
    answer: z.object({
      message: z.string(),
      id: z.string(),
      messageId: z.string(),
      qstashMessageId: z.string().describe('The same as id'),
      warnings: warnings.optional(),
    }),
    run: async ({ transactional, tracking, ...email }, { act }) => {
      const { id, messageId, warnings: said = [] } = await act(writtenEmailRequests, 'send_written_email', email);
      const ignored = [
        ...(transactional ? [] : [notTransactional]),
        ...(tracking?.links || tracking?.open ? [notTracked] : []),
      ];
      const all = [...said, ...ignored];
      const message = 'The email is on its way.';
      return { message, id, messageId, qstashMessageId: id, ...(all.length > 0 && { warnings: all }) };
    },
  }),
  defineEndpoint(addressRequests, 'verify_email_address', {
    method: 'POST',
    path: '/emails/verify',
    summary:
      'Checks whether mail to an address can arrive; returns 200 for every verdict. Equivalent to POST /api/v2/verify.',
    scope: 'read',
    parameters: z.object(addressRequests.calls.verify_email_address.input.shape),
    answer: addressRequests.calls.verify_email_address.output,
    toInput: (given) => given,
  }),
];
