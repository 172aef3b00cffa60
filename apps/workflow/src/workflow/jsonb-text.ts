/** JSON as jsonb can hold it: PostgreSQL takes neither NUL nor half a surrogate pair, and JSON.stringify escapes both. */
export const jsonbText = (value: unknown): string =>
  JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][\da-f]{2})/gi, '$1\ufffd');
