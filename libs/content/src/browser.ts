/** What a browser needs of this library: rendering and the rules of documents, without Node's own modules. */
export { contentReferences } from './block/content-references.js';
export type { Content, ContentType, Snippet } from './document/document.js';
export { NODE_RULES } from './document/node-schema.js';
export type { NodeRule } from './document/node-schema.js';
export { parseContent } from './document/parse-content.js';
export { compileMail } from './template/compile-mail.js';
export { previewLinks } from './template/preview-links.js';
export { renderMail } from './template/render-mail.js';
export { yearIn } from './template/year.js';
