import type { z } from 'zod';
import type { contentType } from '#contracts';

/** An email that only one workflow uses, as its draft has it; its id is a campaign's on the wire. */
export interface WorkflowEmail {
  id: string;
  stepId: string;
  subject: string;
  preview: string | null;
  content: unknown;
  contentType: z.output<typeof contentType>;
  senderId: string | null;
  replyTo: string | null;
}

/** The same with the workflow it belongs to. */
export interface OwnedEmail extends WorkflowEmail {
  workflowId: string;
  updatedAt: Date;
}

/** Text of one line: controls and line ends become a space. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** How a campaign's tools and the history of subscribers name an email. */
export function emailName(
  { name, draft }: { name: string; draft: { graph: { steps: readonly { id: string; name?: string | undefined }[] } } },
  { stepId, subject }: Pick<WorkflowEmail, 'stepId' | 'subject'>,
): string {
  const step = draft.graph.steps.find(({ id }) => id === stepId);
  return `${name}: ${step?.name ?? subject}`.slice(0, 255);
}
