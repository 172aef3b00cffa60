import { splitText, writeVariable } from './variable.js';
import type { TextPart } from './variable.js';

export interface ProtectedText {
  text: string;
  restore(text: string): string;
}

const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&apos;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&amp;': '&',
};

const decode = (text: string): string =>
  text.replace(/&(?:quot|#34|#39|apos|lt|gt|nbsp|amp);/gu, (entity) => ENTITIES[entity]!);

const write = (part: Exclude<TextPart, string>): string => {
  if ('variable' in part) {
    const { variable, fallback } = part;
    return writeVariable({ variable, fallback: fallback === null ? null : decode(fallback) });
  }
  if ('snippet' in part) return `{{snippet:${decode(part.snippet)}}}`;
  const names = part.tag.add ?? part.tag.remove ?? [];
  return `{{${part.tag.add ? 'addTag' : 'removeTag'}:${names.map(decode).join(',')}}}`;
};

/**
 * Replaces expressions before Markdown or HTML is parsed: a `|` in one is no table cell, an underscore no emphasis, a
 * quote ends no attribute.
 */
export const protectExpressions = (source: string): ProtectedText => {
  const taken = new Set([...source.toLowerCase().matchAll(/qv(\d+)w/gu)].map(([, number]) => number));
  let free = 0;
  while (taken.has(String(free))) free += 1;
  const salt = `qv${free}w`;
  const expressions: string[] = [];
  const text = splitText(source)
    .map((part) => (typeof part === 'string' ? part : `${salt}${expressions.push(write(part)) - 1}z`))
    .join('');
  const word = new RegExp(`${salt}(\\d+)z`, 'gu');
  return {
    text,
    restore: (changed) => changed.replace(word, (all, number: string) => expressions[Number(number)] ?? all),
  };
};
