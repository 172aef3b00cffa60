import type { Block, HtmlAttribute, HtmlToken } from '../block/block.js';
import type { Path } from '../document/document.js';
import { readHtml } from './html-fragment.js';
import type { RawToken } from './html-fragment.js';
import { readTarget } from '../variable/link-target.js';
import { isVariable, splitText } from '../variable/variable.js';
import type { Text } from '../variable/variable.js';

/** What a fragment asks of the reader of the whole content. */
export interface FragmentContext {
  text(written: string): Text;
  snippet(reference: string, path: Path): Block[];
}

/** Where text of an author may hold variables; in any other attribute (style, width …) they have no place. */
const TEXT_ATTRIBUTES = new Set(['alt', 'title', 'aria-label']);

const readAttributes = (tag: string, attributes: [string, string][], context: FragmentContext): HtmlAttribute[] =>
  attributes.map(([name, value]): HtmlAttribute => {
    if (name === 'href') return { name, target: readTarget(value) };
    if (name === 'src' && tag === 'img') return { name, target: readTarget(value, 'image') };
    if (TEXT_ATTRIBUTES.has(name)) return { name, value: context.text(value) };
    return { name, value: splitText(value).filter((part) => typeof part === 'string') };
  });

const soleSnippet = (token: RawToken | undefined): string | null => {
  if (token?.kind !== 'text') return null;
  const parts = splitText(token.text.trim());
  return parts.length === 1 && typeof parts[0] === 'object' && 'snippet' in parts[0] ? parts[0].snippet : null;
};

/** Sanitises HTML and reads its texts, addresses and snippets. A snippet alone in its paragraph or line becomes its blocks. */
export const readFragment = (html: string, context: FragmentContext): HtmlToken[] => {
  const raw = readHtml(html).tokens;
  const tokens: HtmlToken[] = [];
  let inline = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const token = raw[at]!;
    const snippet = soleSnippet(raw[at + 1]);
    const [next, end] = [raw[at + 1], raw[at + 2]];
    if (token.kind === 'open' && token.tag === 'p' && snippet !== null && end?.kind === 'close' && end.tag === 'p') {
      tokens.push({ kind: 'blocks', blocks: context.snippet(snippet, []) });
      at += 2;
    } else if (token.kind === 'open') {
      if (INLINE_PARENTS.has(token.tag)) inline += 1;
      tokens.push({ kind: 'open', tag: token.tag, attributes: readAttributes(token.tag, token.attributes, context) });
    } else if (token.kind === 'close') {
      if (INLINE_PARENTS.has(token.tag)) inline -= 1;
      tokens.push(token);
    } else {
      const own = inline === 0 ? soleSnippet(token) : null;
      if (own !== null && next?.kind !== 'text') tokens.push({ kind: 'blocks', blocks: context.snippet(own, []) });
      else tokens.push({ kind: 'text', text: readRun(token.text, context) });
    }
  }
  return tokens;
};

/** Elements in which blocks cannot stand. */
const INLINE_PARENTS = new Set(
  'p h1 h2 h3 h4 h5 h6 a span b strong i em u s del ins strike small sub sup font code kbd samp var mark abbr cite q pre'.split(
    ' ',
  ),
);

const readRun = (written: string, context: FragmentContext): Text =>
  splitText(written).flatMap((part): Text => {
    if (typeof part === 'string' || isVariable(part)) return [part];
    return 'snippet' in part ? context.text(`{{snippet:${part.snippet}}}`) : [];
  });
