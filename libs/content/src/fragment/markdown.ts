import MarkdownIt from 'markdown-it';
import { protectExpressions } from '../variable/placeholder.js';

/** CommonMark with GFM's tables and strikethrough. HTML within it is sanitised like any other, links are judged by us. */
const parser = new MarkdownIt({ html: true, linkify: false, typographer: false });
parser.validateLink = () => true;
parser.normalizeLink = (address) => address;

/**
 * Turns Markdown into HTML that still has to be sanitised; `{{…}}` expressions come through untouched. `depth` says how
 * deep blocks nest (quotes in lists in quotes …).
 */
export const readMarkdown = (source: string): { html: string; depth: number } => {
  const { text, restore } = protectExpressions(source);
  const tokens = parser.parse(text, {});
  const depth = tokens.reduce((deepest, { level }) => Math.max(deepest, level), 0);
  return { html: restore(parser.renderer.render(tokens, parser.options, {})), depth };
};
