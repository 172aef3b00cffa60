import type { z } from 'zod';
import type { contentType } from '#contracts';

/** An email used by one workflow only, as in its draft; its id is a campaign's on the wire. */
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

export interface OwnedEmail extends WorkflowEmail {
  workflowId: string;
  updatedAt: Date;
}

export function emailName(
  { name, draft }: { name: string; draft: { graph: { steps: readonly { id: string; name?: string | undefined }[] } } },
  { stepId, subject }: Pick<WorkflowEmail, 'stepId' | 'subject'>,
): string {
  const step = draft.graph.steps.find(({ id }) => id === stepId);
  return `${name}: ${step?.name ?? subject}`.slice(0, 255);
}
