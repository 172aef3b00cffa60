import type { Block, HtmlAttribute, HtmlToken, Inline, TextStyle } from '../block/block.js';
import type { Path } from '../document/document.js';
import { readHtml } from './html-fragment.js';
import type { RawToken } from './html-fragment.js';
import { readTarget } from '../variable/link-target.js';
import { isVariable, splitText } from '../variable/variable.js';
import type { Text } from '../variable/variable.js';

export interface FragmentContext {
  text(written: string): Text;
  snippet(reference: string, path: Path): Block[];
  line(reference: string, path: Path): Inline[];
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
  let bare = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const token = raw[at]!;
    const snippet = soleSnippet(raw[at + 1]);
    const [next, end] = [raw[at + 1], raw[at + 2]];
    if (token.kind === 'open' && token.tag === 'p' && snippet !== null && end?.kind === 'close' && end.tag === 'p') {
      tokens.push({ kind: 'blocks', blocks: context.snippet(snippet, []) });
      at += 2;
    } else if (token.kind === 'open') {
      if (INLINE_PARENTS.has(token.tag)) inline += 1;
      if (BARE_PARENTS.has(token.tag)) bare += 1;
      tokens.push({ kind: 'open', tag: token.tag, attributes: readAttributes(token.tag, token.attributes, context) });
    } else if (token.kind === 'close') {
      if (INLINE_PARENTS.has(token.tag)) inline -= 1;
      if (BARE_PARENTS.has(token.tag)) bare -= 1;
      tokens.push(token);
    } else {
      const own = inline === 0 ? soleSnippet(token) : null;
      if (own !== null && next?.kind !== 'text') tokens.push({ kind: 'blocks', blocks: context.snippet(own, []) });
      else tokens.push(...readRun(token.text, context, bare > 0));
    }
  }
  return tokens;
};

const INLINE_PARENTS = new Set(
  'p h1 h2 h3 h4 h5 h6 a span b strong i em u s del ins strike small sub sup font code kbd samp var mark abbr cite q pre'.split(
    ' ',
  ),
);

const BARE_PARENTS = new Set(['a', 'pre', 'code']);

const readRun = (written: string, context: FragmentContext, bare: boolean): HtmlToken[] => {
  const tokens: HtmlToken[] = [];
  let text: Text = [];
  const flush = (): void => {
    if (text.length > 0) tokens.push({ kind: 'text', text });
    text = [];
  };
  for (const part of splitText(written)) {
    if (typeof part === 'string' || isVariable(part)) text.push(part);
    else if ('snippet' in part && bare) text.push(...context.text(`{{snippet:${part.snippet}}}`));
    else if ('snippet' in part) {
      flush();
      tokens.push(...context.line(part.snippet, []).flatMap(inlineTokens));
    }
  }
  flush();
  return tokens;
};

const element = (tag: string, attributes: HtmlAttribute[], inner: HtmlToken[]): HtmlToken[] => [
  { kind: 'open', tag, attributes },
  ...inner,
  { kind: 'close', tag },
];

export const inlineTokens = (inline: Inline): HtmlToken[] => {
  if (inline.kind === 'break') return [{ kind: 'open', tag: 'br', attributes: [] }];
  const link = inline.kind === 'picture' ? inline.picture.link : inline.link;
  const inner = inline.kind === 'picture' ? [pictureToken(inline)] : styled(inline.text, inline.style);
  return link === null ? inner : element('a', [{ name: 'href', target: link }], inner);
};

const pictureToken = ({ picture }: Extract<Inline, { kind: 'picture' }>): HtmlToken => {
  const sizes = (['width', 'height'] as const).flatMap((name): HtmlAttribute[] =>
    picture[name] === null ? [] : [{ name, value: [String(picture[name])] }],
  );
  return {
    kind: 'open',
    tag: 'img',
    attributes: [{ name: 'src', target: picture.src }, { name: 'alt', value: picture.alt }, ...sizes],
  };
};

const STYLE_TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's', code: 'code' } as const;

const styled = (text: Text, style: TextStyle): HtmlToken[] => {
  let tokens: HtmlToken[] = [{ kind: 'text', text }];
  for (const [name, tag] of Object.entries(STYLE_TAGS))
    if (style[name as keyof typeof STYLE_TAGS]) tokens = element(tag, [], tokens);
  return style.color === null ? tokens : element('span', [{ name: 'style', value: [`color:${style.color}`] }], tokens);
};
