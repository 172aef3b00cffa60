/** A part of the subject of a compiled mail: text, or a place that each recipient fills. */
export type SubjectSegment = string | number | object;

/** Returns the texts between the variables of a subject; one if it has none. */
export function subjectParts(segments: readonly SubjectSegment[]): string[] {
  const parts = [''];
  for (const segment of segments) {
    if (typeof segment === 'string') parts[parts.length - 1] += segment;
    else parts.push('');
  }
  return parts;
}

/**
 * Finds what fills the places of a subject, by the subject of one message. Where several fillings make the same subject,
 * any of them serves, since the values are kept to make it again.
 * @param parts the texts between the places
 * @param subject as rendered: without white space at both ends
 * @returns as many values as places; null if there is none
 */
export function subjectValues(parts: readonly string[], subject: string): string[] | null {
  if (parts.length === 1) return null;
  const begin = parts[0]!.trimStart();
  const end = parts.at(-1)!.trimEnd();
  const values: string[] = [];
  // Beside an empty value, the white space of a text at an end of the subject was trimmed away.
  let at = (subject.startsWith(begin) ? begin : begin.trimEnd()).length;
  const fits = subject.endsWith(end) && subject.length - end.length >= at;
  const endAt = Math.max(at, subject.length - (fits ? end : end.trimStart()).length);
  // The first place of each text is taken: if any filling fits, this one does.
  for (const part of parts.slice(1, -1)) {
    const next = subject.indexOf(part, at);
    if (next < 0 || next + part.length > endAt) break;
    values.push(subject.slice(at, next));
    at = next + part.length;
  }
  values.push(subject.slice(at, endAt));
  return [...values, ...Array.from({ length: parts.length - 1 - values.length }, () => '')];
}
