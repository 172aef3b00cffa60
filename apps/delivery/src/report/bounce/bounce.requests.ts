import { feedbackRequests } from '#contracts';
import type { FeedbackOutcome, ProviderReport } from '#contracts';
import { implement } from '#tool-call';
import { messageRowIdFrom } from '../../message/message-id.js';
import { classifyReport, reclassify } from './classify-report.js';
import { bouncedOf, namesIn, recordFeedback, recordMail } from './record-feedback.service.js';
import type { FeedbackDependencies } from './record-feedback.service.js';
import type { Feedback } from './feedback.js';

function count(outcomes: readonly FeedbackOutcome[]) {
  const of = (outcome: FeedbackOutcome) => outcomes.filter((one) => one === outcome).length;
  return { recorded: of('recorded'), unknown: of('unknown'), later: of('later') };
}

export const implementFeedbackRequests = (parts: FeedbackDependencies) =>
  implement(feedbackRequests, {
    record_provider_reports: async ({ reports }) => {
      const feedback = reports.map((report) => {
        const { returnPath, messageId, address } = report;
        const rowId = messageId === null ? null : messageRowIdFrom(messageId);
        return {
          returnPaths: returnPath === null ? [] : [returnPath],
          messageIds: rowId === null ? [] : [rowId],
          addresses: namesIn(address),
          others: [],
          feedback: feedbackOf(report),
          raw: null,
        };
      });
      return count(await recordFeedback(parts, feedback));
    },

    record_mail_report: async ({ raw }) =>
      count([await recordMail(parts, Buffer.from(raw, 'base64'), { returnPath: null })]),

    take_bounce: async ({ raw, returnPath }) => ({
      outcome: await recordMail(parts, Buffer.from(raw, 'base64'), { returnPath }),
    }),
  });

/** Codes and words of the destination server count for more than the provider's classification. */
function feedbackOf(report: ProviderReport): Feedback {
  switch (report.kind) {
    case 'DELIVERED':
      return { kind: 'delivered' };
    case 'DELAYED':
      return { kind: 'delayed', reason: report.text };
    case 'COMPLAINED':
      return { kind: 'complained', feedbackType: report.feedbackType, provider: report.provider };
    case 'BOUNCED': {
      const { address, status, text, type, category } = report;
      // A provider that calls the bounce permanent has seen which command was refused.
      const refused = type === 'HARD' ? ('RCPT' as const) : null;
      const evidence = { address, finalAddress: null, action: 'failed', status, diagnostic: text, surroundings: '' };
      const read = classifyReport({ ...evidence, refused });
      if (read.bounceCategory !== 'OTHER' || !type || !category) return bouncedOf(read);
      return bouncedOf(reclassify(read, { bounceType: type, bounceCategory: category }));
    }
  }
}
