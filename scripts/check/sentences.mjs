/** What ends a sentence: its mark before a capital, a colon before one, or an empty line. */
const ends = /(?<=(?<!\b(?:e\.g|i\.e|etc|vs))[.!?]["”)]?)\s+(?=["“(`]?[A-Z])|(?<=:)\s+(?=["“]?[A-Z])|\n\s*\n/g;

/**
 * The sentences of a text with the offset of each.
 * @param {string} text @returns {{ text: string, at: number }[]}
 */
export function sentencesOf(text) {
  const found = [];
  let from = 0;
  for (const end of [...text.matchAll(ends), { 0: '', index: text.length }]) {
    const sentence = text.slice(from, end.index);
    const at = from + (sentence.length - sentence.trimStart().length);
    if (sentence.trim() !== '') found.push({ text: sentence.trim(), at });
    from = end.index + end[0].length;
  }
  return found;
}

/** @param {string} sentence */
export const wordCount = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/**
 * Covers quotations and code spans, so that nothing in them counts as our prose; offsets stay.
 * @param {string} text
 */
export const coverQuotations = (text) =>
  text.replace(/`[^`\n]*`|"[^"\n]{1,200}"|“[^”]{1,200}”/g, (span) => `X${span.slice(1).replace(/[^\n]/g, ' ')}`);
