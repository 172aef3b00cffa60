import type { MailSource } from '../parts/mail/render-source.js';
import { emptyDraft } from './snippet.js';

/** No author is warned of the paragraph that waits for the first word. */
const isUnwritten = (content: unknown): boolean => JSON.stringify(content) === JSON.stringify(emptyDraft.content);

/** A snippet as the preview takes it: without subject and footer. */
export const sourceOf = (content: unknown): MailSource => ({
  subject: '',
  preview: '',
  contentType: 'MAILY',
  content: isUnwritten(content) ? { type: 'doc', content: [] } : content,
  isPart: true,
});
