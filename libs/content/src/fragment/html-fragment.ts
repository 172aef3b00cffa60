import { HTML_POLICY, PAGE_TAGS } from './html-policy.js';
import { VOID_TAGS, sanitise } from './sanitise.js';
import { HTML_DEPTH_MAX } from '../document/limits.js';
import { addressProblem } from '../variable/link-target.js';
import { protectExpressions } from '../variable/placeholder.js';

export type RawToken =
  | { kind: 'open'; tag: string; attributes: [name: string, value: string][] }
  | { kind: 'close'; tag: string }
  | { kind: 'text'; text: string };

export interface HtmlFragment {
  tokens: RawToken[];
  /** Addresses that must not be stored (`javascript:` …), each as a sentence. */
  problems: string[];
  /** Removed parts: tags as `<form>`, attributes by name. */
  dropped: string[];
  depth: number;
  /** Elements of the source; past the limit the tokens are left out. */
  elements: number;
}

const TABLE_PARTS = new Set(['thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'caption', 'col', 'colgroup']);

const DECODED: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
const decode = (text: string): string => text.replace(/&(?:amp|lt|gt|quot);/gu, (entity) => DECODED[entity]!);

/** Matches what the sanitiser writes: `<a href="…">`, `<br />`, `</a>`; nothing else in its output holds a `<`. */
const TAG = /<(\/?)([a-z\d]+)((?: [a-z-]+(?:="[^"]*")?)*) ?\/?>/gu;
const ATTRIBUTE = / ([a-z-]+)(?:="([^"]*)")?/gu;

const tokenise = (html: string, restore: (text: string) => string): RawToken[] => {
  const tokens: RawToken[] = [];
  let at = 0;
  const text = (until: number): void => {
    if (until > at) tokens.push({ kind: 'text', text: restore(decode(html.slice(at, until))) });
  };
  for (const match of html.matchAll(TAG)) {
    text(match.index);
    at = match.index + match[0].length;
    const tag = match[2]!;
    if (match[1] === '/') tokens.push({ kind: 'close', tag });
    else {
      const attributes = [...match[3]!.matchAll(ATTRIBUTE)].map(([, name, value]): [string, string] => [
        name!,
        restore(decode(value ?? '')),
      ]);
      tokens.push({ kind: 'open', tag, attributes });
    }
  }
  text(html.length);
  return tokens;
};

/** Leaves out table parts outside a table and links within links, which would tear the layout around them. */
const balance = (tokens: RawToken[]): RawToken[] => {
  const open: { tag: string; kept: boolean }[] = [];
  const within = { table: 0, a: 0 };
  const count = (tag: string, by: 1 | -1): void => {
    if (tag === 'table' || tag === 'a') within[tag] += by;
  };
  return tokens.filter((token) => {
    if (token.kind === 'text') return true;
    if (token.kind === 'open') {
      const misplaced = TABLE_PARTS.has(token.tag) ? within.table === 0 : token.tag === 'a' && within.a > 0;
      if (VOID_TAGS.has(token.tag)) return !misplaced;
      open.push({ tag: token.tag, kept: !misplaced });
      if (!misplaced) count(token.tag, 1);
      return !misplaced;
    }
    if (open.at(-1)?.tag !== token.tag || !open.pop()!.kept) return false;
    count(token.tag, -1);
    return true;
  });
};

const ADDRESSES: Record<string, 'link' | 'image'> = { href: 'link', src: 'image' };

/**
 * Sanitises and parses HTML; parts that cannot be kept are omitted and named in `dropped`.
 * @param elementsMax elements after which the reading ends; `elements` is then larger than it
 */
export const readHtml = (source: string, elementsMax = Infinity): HtmlFragment => {
  const { text, restore } = protectExpressions(source);
  const problems: string[] = [];
  const dropped = new Set<string>();
  const allowed = HTML_POLICY.allowedTags as string[];
  const { html, depth, elements } = sanitise(
    text,
    {
      ...HTML_POLICY,
      nestingLimit: HTML_DEPTH_MAX + 1,
      onOpenTag: (tag, attributes) => {
        if (!allowed.includes(tag)) {
          if (!PAGE_TAGS.has(tag)) dropped.add(`<${restore(tag)}>`);
          return;
        }
        for (const [name, value] of Object.entries(attributes)) {
          if (name.startsWith('on')) dropped.add(name);
          const kind = ADDRESSES[name];
          const problem = kind === undefined ? null : addressProblem(restore(value), kind);
          if (problem !== null) problems.push(`${name} of <${tag}>: ${problem}`);
        }
      },
    },
    elementsMax,
  );
  return { tokens: balance(tokenise(html, restore)), problems, dropped: [...dropped], depth, elements };
};
