/** JSON as jsonb can hold it: PostgreSQL takes neither NUL nor half a surrogate pair, and JSON.stringify escapes both. */
export function jsonbText(value: unknown): string {
  const json = JSON.stringify(value);
  // Hardly any has an escape, and all events come by here.
  return json.includes('\\u') ? json.replace(unstorable, '$1\ufffd') : json;
}

const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][\da-f]{2})/gi;
