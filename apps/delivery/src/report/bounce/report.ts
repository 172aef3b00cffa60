import type { BounceDecision } from '#contracts';
import type { BounceClass } from '../../message/bounce-class.js';

export interface NamedRecipient {
  /**
   * The address before forwarding (Original-Recipient), if the report has it, else the final one; null if it has
   * neither.
   */
  address: string | null;
  /** As it was delivered (Final-Recipient), where the report names that beside it. */
  finalAddress: string | null;
}

export interface ReportedRecipient extends BounceClass, NamedRecipient {
  /** `delayed`: the server goes on trying, and nothing has happened yet. */
  action: 'failed' | 'delayed';
  /** Whether the code or the words say that another attempt is no use (5.x.x), or might be (4.x.x). */
  permanent: boolean;
  status: string | null;
  reason: string;
  suppression: BounceDecision;
}

export interface ReportTraces {
  /** All addresses of the form `b.<token>@…` in the mail. */
  returnPaths: string[];
  /** Row ids in Message-IDs of the form that ours have. */
  messageIds: string[];
}

export type MailReport =
  /** It may have arrived for some recipients and bounced for others. */
  | ({ kind: 'bounce'; recipients: ReportedRecipient[]; delivered: NamedRecipient[] } & ReportTraces)
  | ({ kind: 'complaint'; feedbackType: string; address: string | null; provider: string | null } & ReportTraces)
  /** It arrived, or was passed on to a server that sends no further report. */
  | ({ kind: 'delivered'; delivered: NamedRecipient[] } & ReportTraces)
  /** An automatic reply, a read receipt, or mail of a person: changes nothing. */
  | { kind: 'other'; why: 'auto-reply' | 'receipt' | 'feedback' | 'no report' };
