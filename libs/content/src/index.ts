export { ContentCompiler, ContentTooComplex, SemaphoreTimeout } from './compiler/content-compiler.js';
export type { ContentRequester } from './compiler/content-compiler.js';
export type { ContentTasks } from './compiler/content-tasks.js';
export { SizedCache } from './compiler/sized-cache.js';
export { compileMail } from './template/compile-mail.js';
export type { CompileInput } from './template/compile-mail.js';
export { yearIn } from './template/year.js';
export { contentReferences, defaultContent, hasUnsubscribeLink, textReferences } from './block/content-references.js';
export type { ContentReferences, ImageReference } from './block/content-references.js';
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
} from './document/document.js';
export { NODE_RULES } from './document/node-schema.js';
export type { NodeRule } from './document/node-schema.js';
export { applyOperations } from './edit/operations.js';
export type { AppliedOperation, AppliedOperations } from './edit/operations.js';
export { parseContent, parseSnippet } from './document/parse-content.js';
export { untouchedBodies, untouchedSubjects } from './block/untouched.js';
export type { ParsedContent } from './document/parse-content.js';
export { previewLinks } from './template/preview-links.js';
export { prepareMail } from './template/prepare-mail.js';
export type { PreparedMail, PreparedSegment, PreparedValues, PrepareInput } from './template/prepare-mail.js';
export { renderMail } from './template/render-mail.js';
export type { RenderInput, RenderedMail } from './template/render-mail.js';
export type { MailTemplate } from './template/template.js';
export { joinLines } from './text/join-lines.js';
export { textFromHtml } from './text/text-from-html.js';
export { pageCharactersMax } from './web-page/html-to-markdown.js';
export type { ReadablePage } from './web-page/html-to-markdown.js';
export { variableGuides, variableSyntax } from './variable/variable-guide.js';
export type { VariableGuide } from './variable/variable-guide.js';
export type { TagChange } from './variable/variable.js';
