export interface VariableUse {
  variable: string;
  fallback: string | null;
}

export interface TagChange {
  add?: string[];
  remove?: string[];
}

export type TextPart = string | VariableUse | { snippet: string } | { tag: TagChange };

export type Text = (string | VariableUse)[];

const BUILT_IN = new Map(
  [
    'email',
    'name',
    'firstName',
    'phone',
    'unsubscribeUrl',
    'preferencesUrl',
    'onlineUrl',
    'org-name',
    'org-address',
    'currentYear',
  ].map((name) => [name.toLowerCase(), name]),
);
BUILT_IN.set('org-adresse', 'org-address');

export const SYSTEM_LINKS: readonly string[] = ['unsubscribeUrl', 'preferencesUrl', 'onlineUrl'];
/** Variables that are never empty; the others are worth a warning without a fallback. */
const ALWAYS_FILLED = new Set([...SYSTEM_LINKS, 'email', 'org-name', 'org-address', 'currentYear']);

export const isAlwaysFilled = (variable: string): boolean => ALWAYS_FILLED.has(variable);

/** Custom field names hold at most 255 characters; with a fallback and quotes an expression stays below this. */
const EXPRESSION_MAX = 1_000;
const NAME = /^[\p{L}\p{N}_][^{}|<>=*$;\\`"\p{Cc}]*$/u;
/** Decision: names of the prototype chain are text, never variables, so that no look-up can ever reach one. */
const LITERAL_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
const QUOTES: Record<string, string> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '“': '”',
  '”': '”',
  '„': '“',
  '‘': '’',
  '’': '’',
  '«': '»',
};

/** Returns a variable's name as the renderer spells it: built-ins in their own spelling; null for an invalid name. */
export const canonicalName = (written: string): string | null => {
  const name = written.trim().replace(/\s+/gu, ' ');
  const builtIn = BUILT_IN.get(name.toLowerCase());
  if (builtIn !== undefined) return builtIn;
  return name.length <= 255 && NAME.test(name) && !LITERAL_NAMES.has(name.toLowerCase()) ? name : null;
};

const unquote = (written: string): string => {
  const text = written.trim();
  const closing = QUOTES[text[0] ?? ''];
  if (text.length < 2 || closing === undefined) return text;
  const end = text.at(-1);
  return end === closing || end === text[0] ? text.slice(1, -1) : text;
};

const tagNames = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((name) => unquote(name).trim())
      .filter((name) => name !== ''),
  ),
];

const readExpression = (inner: string): TextPart | null => {
  const prefixed = /^\s*(snippet|addTag|removeTag)\s*:([^{}]*)$/iu.exec(inner);
  if (prefixed) {
    const kind = prefixed[1]!.toLowerCase();
    if (kind === 'snippet') {
      const snippet = unquote(prefixed[2]!);
      return snippet === '' ? null : { snippet };
    }
    const names = tagNames(prefixed[2]!);
    if (names.length === 0) return null;
    return { tag: kind === 'addtag' ? { add: names } : { remove: names } };
  }
  const bar = inner.indexOf('|');
  const variable = canonicalName(bar < 0 ? inner : inner.slice(0, bar));
  if (variable === null) return null;
  return { variable, fallback: bar < 0 ? null : unquote(inner.slice(bar + 1).replace(/^\|/, '')) };
};

/**
 * Splits text at its `{{…}}` expressions. Other text in braces (`{{7*7}}`, `{{#if}}`, an open brace) stays unchanged.
 * Linear in the length of the text.
 */
export const splitText = (text: string): TextPart[] => {
  const parts: TextPart[] = [];
  let literal = '';
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    while (text[open + 2] === '{') open += 1;
    const close = text.slice(open + 2, open + 2 + EXPRESSION_MAX).indexOf('}}');
    const part = close < 0 ? null : readExpression(text.slice(open + 2, open + 2 + close));
    const end = part === null ? open + 2 : open + close + 4;
    if (part === null) literal += text.slice(at, end);
    else {
      literal += text.slice(at, open);
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(part);
    }
    at = end;
  }
  literal += text.slice(at);
  if (literal !== '') parts.push(literal);
  return parts;
};

export const isVariable = (part: TextPart): part is VariableUse => typeof part === 'object' && 'variable' in part;

export const writeVariable = ({ variable, fallback }: VariableUse): string =>
  fallback === null ? `{{${variable}}}` : `{{${variable} | '${fallback}'}}`;
