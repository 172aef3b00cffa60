import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { senderFacts } from './domain.js';

const sendState = z.enum(['RUNNING', 'PAUSED', 'STOPPED', 'DONE']);

/** The recipients of a send by state; `total` = `sent` + `failed` + `skipped` + `inDoubt` + `pending`. */
export const sendCounters = {
  total: z.int(),
  pending: z.int(),
  deferred: z.int(),
  sent: z.int(),
  delivered: z.int(),
  bounced: z.int(),
  failed: z.int(),
  skipped: z.record(z.string(), z.int()),
  inDoubt: z.int(),
};

export const percentDone = ({ total, pending }: { total: number; pending: number }): number =>
  total === 0 ? 0 : Math.floor(((total - pending) / total) * 1000) / 10;

export const sendProgress = z.object({
  sendId: z.string(),
  campaignId: z.string(),
  state: sendState,
  pausedReason: z.string().nullable(),
  ...sendCounters,
  startedAt: timestamp,
  finishedAt: timestamp.nullable(),
  ratePerSecond: z.number(),
  /** Why nothing moves, when nothing does (relay down, backing off). */
  waitingFor: z.string().nullable(),
});
export type SendProgress = z.infer<typeof sendProgress>;

export const deliveryRequests = defineRequests('delivery', {
  /** Takes over a frozen campaign; the same sendId again changes nothing. */
  start_send: {
    input: z.strictObject({
      sendId: z.string(),
      campaignId: z.string(),
      campaignName: z.string(),
      audienceId: z.string(),
      total: z.int(),
      pages: z.int(),
      template: z.unknown(),
      sender: senderFacts,
      replyTo: z.string().nullable(),
      organizationName: z.string(),
      tracking: z.object({ opens: z.boolean(), clicks: z.boolean() }),
    }),
    output: z.object({ sendId: z.string() }),
    errors: ['QUOTA_REACHED'],
    transaction: 'write',
  },
  get_send_progress: {
    input: z.strictObject({ sendId: z.string() }),
    output: z.object({ progress: sendProgress }),
    errors: ['SEND_NOT_FOUND'],
    transaction: 'read',
  },
  set_send_state: {
    input: z.strictObject({
      sendId: z.string(),
      state: z.enum(['RUNNING', 'PAUSED', 'STOPPED']),
      reason: z.string().nullable(),
    }),
    output: z.object({ state: sendState }),
    errors: ['SEND_NOT_FOUND'],
    transaction: 'write',
  },
  /** Refuses when this month's quota cannot cover this number of mails; counts nothing. */
  assert_mails_fit: {
    input: z.strictObject({ asked: z.int() }),
    output: z.object({}),
    errors: ['QUOTA_REACHED'],
    transaction: 'read',
  },
  /** Mails that the quota `mailsPerMonth` counts, of the month of `now` (UTC). */
  count_mails: {
    input: z.strictObject({}),
    output: z.object({ mails: z.int() }),
    errors: [],
    transaction: 'read',
  },
  /** For the operator's command: an organization's sends, the newest first. */
  list_sends: {
    input: z.strictObject({ limit: z.int().min(1).max(1000).default(50) }),
    output: z.object({
      sends: z.array(
        sendProgress
          .pick({ sendId: true, campaignId: true, state: true, total: true, startedAt: true, finishedAt: true })
          .extend({ campaignName: z.string() }),
      ),
    }),
    errors: [],
    transaction: 'read',
  },
  /** For the operator's command: how many pages of a send are in each state, and those that are worked on. */
  list_send_pages: {
    input: z.strictObject({ sendId: z.string(), limit: z.int().min(1).max(1000).default(100) }),
    output: z.object({
      states: z.record(z.enum(['READY', 'LEASED', 'DONE']), z.int()),
      leased: z.array(
        z.object({
          page: z.int(),
          until: timestamp,
          fence: z.int(),
          sent: z.int(),
          deferred: z.int(),
          inDoubt: z.int(),
        }),
      ),
    }),
    errors: ['SEND_NOT_FOUND'],
    transaction: 'read',
  },
  list_send_messages: {
    input: z.strictObject({
      sendId: z.string(),
      states: z.array(z.string()).optional(),
      after: z.string().nullable().default(null),
      limit: z.int().min(1).max(1000).default(100),
    }),
    output: z.object({
      messages: z.array(
        z.object({
          id: z.string(),
          subscriberId: z.string().nullable(),
          email: z.string(),
          state: z.string(),
          reason: z.string().nullable(),
          attempts: z.int(),
          response: z.string().nullable(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
    errors: ['SEND_NOT_FOUND'],
    transaction: 'read',
  },
});
