import { literalInPattern, searchText } from '#tool-call';

/**
 * Builds an SQL condition: one of two columns contains the text, in any case; without a text it is true. The pattern
 * finds candidates by an index of both columns together. position() excludes those that match only across the two.
 * @param text `$n` of the text, and `pattern` of its pattern: what `searchParameters` returns
 */
export const containsSql = (columns: readonly [string, string], text: string, pattern: string): string =>
  `(${text}::text is null or lower(${columns.join(` || ' ' || `)}) like lower(${pattern})
             and (${columns.map((column) => `position(lower(${text}) in lower(${column})) > 0`).join(' or ')}))`;

export function searchParameters(query: string | null | undefined): [text: string | null, pattern: string | null] {
  const text = searchText(query);
  return [text, text && `%${literalInPattern(text)}%`];
}
