/** The subject of a compiled template: literal text, and the number of a slot where the text of a recipient belongs. */
export type SubjectSegments = readonly (string | number | object)[];

/**
 * Returns the subject of a message that keeps only the texts of its slots.
 * @param values texts of the slots, in the order of the subject; null: it has none
 */
export function subjectText(segments: SubjectSegments, values: readonly string[] | null): string {
  let slot = 0;
  return segments
    .map((segment) => (typeof segment === 'string' ? segment : (values?.[slot++] ?? '')))
    .join('')
    .trim();
}
