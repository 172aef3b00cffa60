import MarkdownIt from 'markdown-it';
import type { Env, StateBlock, StateInline, Token } from 'markdown-it';
import { protectExpressions } from '../variable/placeholder.js';

/** CommonMark with GFM's tables and strikethrough; HTML within it is sanitised like any other. */
const parser = new MarkdownIt({ html: true, linkify: false, typographer: false });
parser.validateLink = () => true;
parser.normalizeLink = (address) => address;

const tooMany = new Error('more elements than allowed');

const SINGLE = new Set(['hardbreak', 'image', 'hr', 'code_inline', 'fence', 'code_block']);
/** Counts a token against `env.elements`, what the parse may still come to. */
const spend = (env: Env, type: string, nesting: number): void => {
  if (nesting !== 1 && !SINGLE.has(type)) return;
  const left = (env.elements as number) - 1;
  if (left < 0) throw tooMany;
  env.elements = left;
};

// The parser makes its states of these classes: they count elements while it works, so that it ends in time.
parser.block.State = class extends parser.block.State {
  override push(...token: Parameters<StateBlock['push']>): Token {
    spend(this.env, token[0], token[2]);
    return super.push(...token);
  }
};
parser.inline.State = class extends parser.inline.State {
  override push(...token: Parameters<StateInline['push']>): Token {
    spend(this.env, token[0], token[2]);
    return super.push(...token);
  }
};

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
 * @param elementsMax elements of Markdown's own that the source may come to; tags of HTML within it are not counted
 * @returns null when it comes to more
 */
export const readMarkdown = (source: string, elementsMax = Infinity): { html: string; depth: number } | null => {
  const { text, restore } = protectExpressions(withAddresses(source));
  const tokens = parse(text, { elements: elementsMax });
  if (tokens === null) return null;
  const depth = tokens.reduce((deepest, { level }) => Math.max(deepest, level), 0);
  return { html: withoutMarks(restore(parser.renderer.render(tokens, parser.options, {}))), depth };
};

const parse = (text: string, env: Env): Token[] | null => {
  try {
    return parser.parse(text, env);
  } catch (error) {
    if (error !== tooMany) throw error;
    return null;
  }
};
