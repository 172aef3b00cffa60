import MarkdownIt from 'markdown-it';
import { protectExpressions } from '../variable/placeholder.js';

/** CommonMark with GFM's tables and strikethrough. HTML within it is sanitised like any other, links are judged by us. */
const parser = new MarkdownIt({ html: true, linkify: false, typographer: false });
parser.validateLink = () => true;
parser.normalizeLink = (address) => address;

/** `<{{onlineUrl}}>` is an address between angle brackets, and `<{{email}}>` a mailbox: CommonMark wants them to look so. */
const withAddresses = (source: string): string =>
  source
    .replace(/<(?=\{\{\s*(?:unsubscribeUrl|preferencesUrl|onlineUrl)\s*\}\}>)/giu, '<x-variable:')
    .replace(/<(?=\{\{\s*email\s*\}\}>)/giu, '<x-mailbox:');
const withoutMarks = (html: string): string =>
  html.replace(/"x-mailbox:(?=\{\{)/gu, '"mailto:').replace(/x-(?:variable|mailbox):(?=\{\{)/gu, '');

/**
 * Turns Markdown into HTML that still has to be sanitised; `{{…}}` expressions come through untouched. `depth` says how
 * deep blocks nest (quotes in lists in quotes …).
 */
export const readMarkdown = (source: string): { html: string; depth: number } => {
  const { text, restore } = protectExpressions(withAddresses(source));
  const tokens = parser.parse(text, {});
  const depth = tokens.reduce((deepest, { level }) => Math.max(deepest, level), 0);
  return { html: withoutMarks(restore(parser.renderer.render(tokens, parser.options, {}))), depth };
};
