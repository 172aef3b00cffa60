import { starterText } from '../messages/en/workflows.js';
import { stepText } from '../messages/en/workflow-steps.js';

/** A document of one paragraph, with an unsubscribe link in its footer. */
const letter = (body: string) => ({
  type: 'doc',
  content: [
    { type: 'paragraph', content: [{ type: 'text', text: body }] },
    {
      type: 'footer',
      content: [
        {
          type: 'text',
          text: starterText('unsubscribe'),
          marks: [{ type: 'link', attrs: { href: '{{unsubscribeUrl}}' } }],
        },
      ],
    },
  ],
});

/** The config of a mail whose body is a document. */
export const letterConfig = (
  subject: string = stepText('mail.newSubject'),
  body: string = stepText('mail.newBody'),
): Record<string, unknown> => ({ subject, contentType: 'MAILY', content: letter(body) });
