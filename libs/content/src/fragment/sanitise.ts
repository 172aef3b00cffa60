import sanitizeHtml from 'sanitize-html';
import type { IOptions } from 'sanitize-html';

/** Elements without content. */
export const VOID_TAGS: ReadonlySet<string> = new Set(['img', 'br', 'hr', 'col', 'wbr']);

/**
 * The parser looks through all open elements at each tag, so that endless nesting takes the square of its length. No
 * mail or page nests a thousand deep; elements that HTML lets one leave open come to some hundreds.
 */
const LEVELS_MAX = 1_000;

/** Left as they are where HTML is flattened: they hold no elements, and some hold what is not text. */
const KEPT = new Set(['script', 'style', 'title', 'textarea', ...VOID_TAGS]);
const WITHIN_LINES = new Set('a abbr b code em font i s small span strike strong sub sup u'.split(' '));
const ANY_TAG = /<\/?([a-z][^\s/>]*)[^>]*>?/giu;

const tooDeep = new Error(`nested deeper than ${LEVELS_MAX} levels`);

/** All the text without the nesting. Something stands for each tag, so that what is around it never becomes one. */
const flatten = (html: string): string =>
  html.replace(ANY_TAG, (written, tag: string) => {
    const name = tag.toLowerCase();
    if (KEPT.has(name)) return written;
    return WITHIN_LINES.has(name) ? ' ' : '<br>';
  });

const attempt = (html: string, options: IOptions): { html: string; depth: number } => {
  let level = 0;
  let depth = 0;
  const clean = sanitizeHtml(html, {
    ...options,
    onOpenTag: (tag, attributes) => {
      level += 1;
      if (level > LEVELS_MAX) throw tooDeep;
      if (!VOID_TAGS.has(tag)) depth = Math.max(depth, level);
      options.onOpenTag?.(tag, attributes);
    },
    onCloseTag: (tag, isImplied) => {
      level -= 1;
      options.onCloseTag?.(tag, isImplied);
    },
  });
  return { html: clean, depth };
};

/** Sanitises in linear time, and tells how deep elements nest. Of what nests beyond reason all text stays, in one level. */
export const sanitise = (html: string, options: IOptions): { html: string; depth: number } => {
  try {
    return attempt(html, options);
  } catch (error) {
    if (error !== tooDeep) throw error;
    return { ...attempt(flatten(html), options), depth: LEVELS_MAX };
  }
};
