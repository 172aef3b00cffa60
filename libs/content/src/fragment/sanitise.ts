import sanitizeHtml from 'sanitize-html';
import type { IOptions } from 'sanitize-html';

export const VOID_TAGS: ReadonlySet<string> = new Set(['img', 'br', 'hr', 'col', 'wbr']);

/** At each tag the parser scans all open elements, so endless nesting takes quadratic time. */
const LEVELS_MAX = 1_000;

/** Kept when HTML is flattened: they contain no elements, and some contain code instead of text. */
const KEPT = new Set(['script', 'style', 'title', 'textarea', ...VOID_TAGS]);
const WITHIN_LINES = new Set('a abbr b code em font i s small span strike strong sub sup u'.split(' '));
const ANY_TAG = /<\/?([a-z][^\s/>]*)[^>]*>?/giu;

const tooDeep = new Error(`nested deeper than ${LEVELS_MAX} levels`);
const tooMany = new Error('more elements than allowed');

/** Sanitised HTML; empty when it has more elements than allowed. */
interface Sanitised {
  html: string;
  depth: number;
  elements: number;
}

/** Each tag is replaced, so that the text around it never forms a tag. */
const flatten = (html: string): string =>
  html.replace(ANY_TAG, (written, tag: string) => {
    const name = tag.toLowerCase();
    if (KEPT.has(name)) return written;
    return WITHIN_LINES.has(name) ? ' ' : '<br>';
  });

const attempt = (html: string, options: IOptions, elementsMax: number): Sanitised => {
  let level = 0;
  let depth = 0;
  let elements = 0;
  const clean = sanitizeHtml(html, {
    ...options,
    onOpenTag: (tag, attributes) => {
      level += 1;
      elements += 1;
      if (elements > elementsMax) throw tooMany;
      if (level > LEVELS_MAX) throw tooDeep;
      if (!VOID_TAGS.has(tag)) depth = Math.max(depth, level);
      options.onOpenTag?.(tag, attributes);
    },
    onCloseTag: (tag, isImplied) => {
      level -= 1;
      options.onCloseTag?.(tag, isImplied);
    },
  });
  return { html: clean, depth, elements };
};

/**
 * Sanitises in linear time and measures how deep elements nest; text that nests beyond reason stays, in one level.
 * @param elementsMax elements after which the work ends
 */
export const sanitise = (html: string, options: IOptions, elementsMax = Infinity): Sanitised => {
  try {
    return attempt(html, options, elementsMax);
  } catch (error) {
    if (error === tooMany) return { html: '', depth: 0, elements: elementsMax + 1 };
    if (error !== tooDeep) throw error;
    return { ...attempt(flatten(html), options, Infinity), depth: LEVELS_MAX };
  }
};
