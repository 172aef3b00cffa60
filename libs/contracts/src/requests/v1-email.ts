import { z } from 'zod';
import { defineRequests } from '../define.js';
import { emailTools } from '../tools/email.js';

const { send_email: send } = emailTools.calls;

export const writtenEmailRequests = defineRequests('delivery', {
  /** send_email for content of any kind: `content` is Markdown, HTML or a rich-text document, as contentType says. */
  send_written_email: {
    input: z.strictObject({
      ...send.input.pick({ from: true, to: true, subject: true, replyTo: true, preview: true }).shape,
      content: z.unknown(),
      contentType: z.enum(['MARKDOWN', 'HTML', 'TIPTAP']),
    }),
    output: send.output,
    errors: [...send.errors, 'PARAMETERS_INVALID'],
    transaction: 'own',
  },
});
