import { z } from 'zod';
import { idText, nextCursor, pageSize } from '../common.js';
import { defineTools } from '../define.js';
import { deadLetterSchema } from '../requests/dead-letter.js';

const service = z.enum(['subscriber', 'campaign', 'workflow', 'delivery', 'domain']);
const deadLetter = deadLetterSchema.omit({ organizationId: true }).extend({ service });
const unavailable = z.array(service).describe('Services that did not respond; their dead letters are missing');
const ids = z.array(idText).min(1).max(100);

/** Most dead letters that one call of retry_dead_letters applies for a whole service. */
export const retriedAtOnceMax = 500;

export const deadLetterTools = defineTools('domain', {
  list_dead_letters: {
    summary: 'Lists the events of the organization that a service could not apply, the oldest first.',
    category: 'access',
    scope: 'admin',
    input: z.strictObject({
      service: service.optional(),
      event: z.string().min(1).max(100).optional().describe('Name of the event, such as message.bounced'),
      limit: pageSize(100, 50),
      cursor: idText.optional(),
    }),
    output: z.object({ deadLetters: z.array(deadLetter), total: z.int(), unavailable, nextCursor }),
    errors: [],
    transaction: 'own',
    keywords: 'failed events, stuck messages between services, errors of processing',
    example: {},
  },
  get_dead_letter: {
    summary: 'Returns one dead letter with the payload of its event.',
    category: 'access',
    scope: 'admin',
    rules: ['Retried and discarded dead letters are kept for 30 days.'],
    input: z.strictObject({ id: idText }),
    output: z.object({
      deadLetter: deadLetter.extend({
        state: z.enum(['OPEN', 'RETRIED', 'DISCARDED']),
        payload: z.record(z.string(), z.unknown()),
      }),
    }),
    errors: ['DEAD_LETTER_NOT_FOUND'],
    transaction: 'own',
    keywords: 'one failed event, payload, error detail',
    example: { id: '{deadLetterId}' },
  },
  retry_dead_letters: {
    summary: 'Applies dead letters again: those with the given ids, or those of one service.',
    category: 'access',
    scope: 'admin',
    rules: [
      'Give either ids or service. Each dead letter is applied by itself; one that fails again stays with its new error.',
      `With service, at most ${retriedAtOnceMax} are applied at a time, the oldest first. Repeat the call for more.`,
    ],
    input: z
      .strictObject({ ids: ids.optional(), service: service.optional() })
      .refine((given) => (given.ids === undefined) !== (given.service === undefined), {
        path: ['ids'],
        message: 'give either ids or service',
      }),
    output: z.object({ retried: z.int(), failed: z.array(deadLetter) }),
    errors: ['DEAD_LETTER_NOT_FOUND'],
    transaction: 'own',
    keywords: 'process failed events again, replay, try once more',
    example: { ids: ['{deadLetterId}'] },
  },
  discard_dead_letters: {
    summary: 'Discards dead letters, so that they are never applied.',
    category: 'access',
    scope: 'admin',
    confirm: true,
    destructive: true,
    rules: ['Their payload is kept for 30 days; get_dead_letter returns it.'],
    input: z.strictObject({ ids, reason: z.string().trim().min(1).max(255) }),
    output: z.object({ discarded: z.int() }),
    errors: ['DEAD_LETTER_NOT_FOUND'],
    transaction: 'own',
    keywords: 'drop failed events, throw away errors, clear the errors',
    example: { ids: ['{spareDeadLetterId}'], reason: 'The campaign was a test.' },
  },
});
