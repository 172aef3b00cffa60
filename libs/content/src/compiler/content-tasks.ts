import { contentReferences, hasUnsubscribeLink, textReferences } from '../block/content-references.js';
import type { Content, ContentType } from '../document/document.js';
import { parseContent, parseSnippet } from '../document/parse-content.js';
import { applyOperations } from '../edit/operations.js';
import { compileMail } from '../template/compile-mail.js';
import { textFromHtml } from '../text/text-from-html.js';
import { htmlToMarkdown } from '../web-page/html-to-markdown.js';

export interface WrittenMail {
  subject: string;
  preview: string | null;
  contentType: ContentType;
  content: Content;
}

const mailReferences = ({ subject, preview, contentType, content }: WrittenMail) => {
  const { snippets, ...references } = contentReferences(contentType, content);
  const named = [...snippets, ...textReferences(subject).snippets, ...textReferences(preview ?? '').snippets];
  return { ...references, snippets: [...new Set(named)] };
};

/** Work whose cost an author or a web page decides, so a thread does it that others do not wait for. */
export const contentTasks = {
  parseContent,
  parseSnippet,
  applyOperations,
  mailReferences,
  hasUnsubscribeLink,
  compileMail,
  textFromHtml,
  htmlToMarkdown,
};

export type ContentTasks = typeof contentTasks;
