export { compileMail } from './compile-mail.js';
export type { CompileInput } from './compile-mail.js';
export { contentReferences, defaultContent, hasUnsubscribeLink, textReferences } from './content-references.js';
export type { ContentReferences, ImageReference } from './content-references.js';
export type {
  Content,
  ContentType,
  DocumentNode,
  Issue,
  Mark,
  Path,
  ShowIfFilter,
  Snippet,
  Warning,
  WarningCode,
} from './document.js';
export { applyOperations } from './operations.js';
export type { AppliedOperation, AppliedOperations } from './operations.js';
export { parseContent, parseSnippet } from './parse-content.js';
export type { ParsedContent } from './parse-content.js';
export { renderMail } from './render-mail.js';
export type { RenderInput, RenderedMail } from './render-mail.js';
export type { MailTemplate } from './template.js';
export { textFromHtml } from './text-from-html.js';
export type { TagChange } from './variable.js';
