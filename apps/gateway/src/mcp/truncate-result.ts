/** Bounds a result to 20,000 tokens: an agent reads all of it, and it is sent twice, as data and as text. */
const tokensMax = 10_000;
const cutsMax = 20;

type Json = Record<string, unknown>;

/** Data that fits, and a note on the omitted part; null when nothing is omitted. */
export interface Truncated {
  data: Json;
  note: string | null;
}

/** A cautious estimate: three characters of ASCII to a token, one of other alphabets. */
export const tokensOf = (value: unknown): number => {
  const text = JSON.stringify(value) ?? '';
  const others = text.replace(/[\x00-\x7f]/g, '').length;
  return Math.ceil((text.length - others) / 3) + others;
};

/**
 * Truncates a result that is too long after a row of its longest list, or else in its longest text.
 * @param pages whether the tool takes a cursor: then `nextCursor` continues after the last row
 */
export function truncate(
  data: Json,
  { pages, limits }: { pages: boolean; limits: boolean },
  max = tokensMax,
): Truncated {
  if (tokensOf(data) <= max) return { data, note: null };
  const copy = structuredClone(data);
  const notes = leaveOutSchemas(copy)
    ? ['params are left out: the example beside each shows what it takes, and get_skill the rest.']
    : [];
  if (tokensOf(copy) <= max) return { data: copy, note: `The answer was too long. ${notes.join(' ')}` };
  let movedCursor = false;
  for (let cuts = 0; cuts < cutsMax && tokensOf(copy) > max; cuts++) {
    const place = heaviest(copy);
    if (!place) break;
    if (isRows(place)) {
      notes.push(cutRows(copy, place, max));
      if (pages && place.holder === copy && 'nextCursor' in copy) movedCursor = moveCursor(copy, place.key);
    } else if (place.key === 'csv') notes.push(cutCsv(copy, place as Place<string>, max));
    else notes.push(cutText(copy, place as Place<string>, max));
  }
  const next = movedCursor
    ? 'Go on with nextCursor as cursor.'
    : limits
      ? 'Ask with a smaller limit, or narrower.'
      : 'Ask for less at a time, if the tool has a parameter for it; over HTTP its answer is whole.';
  return { data: copy, note: `The answer was too long. ${notes.join(' ')} ${next}` };
}

/** Empties schemas beside an example, which needs a fifth of the characters. @returns whether there were any */
function leaveOutSchemas(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const isPair = 'params' in value && 'example' in value;
  if (isPair) value.params = {};
  return Object.values(value).map(leaveOutSchemas).includes(true) || isPair;
}

interface Place<V> {
  holder: Record<string | number, unknown>;
  key: string;
  value: V;
  tokens: number;
}

const isRows = (place: Place<unknown[] | string>): place is Place<unknown[]> => Array.isArray(place.value);

/** The longest list with more than one row, unless a text is longer than all rows of any list. */
function heaviest(root: unknown): Place<unknown[] | string> | null {
  let best: Place<unknown[] | string> | null = null;
  const visit = (holder: Record<string, unknown>, key: string, depth: number): void => {
    const value = holder[key];
    const isList = Array.isArray(value) && value.length > 1;
    const isText = typeof value === 'string' && value.length > 200;
    if (isList || isText) {
      const tokens = tokensOf(value) / (isText || depth === 0 ? 1 : 2);
      if (tokens > (best?.tokens ?? 0)) best = { holder, key, value, tokens };
    }
    if (value !== null && typeof value === 'object') {
      for (const inner of Object.keys(value)) visit(value as Record<string, unknown>, inner, depth + 1);
    }
  };
  for (const key of Object.keys(root as object)) visit(root as Record<string, unknown>, key, 0);
  return best;
}

interface Rows extends Pick<Place<unknown[]>, 'holder' | 'key' | 'value'> {
  /** Form of the rows in the result; default: unchanged. */
  shown?: (rows: unknown[]) => unknown;
}

function cutRows(root: Json, { holder, key, value, shown = (rows) => rows }: Rows, max: number): string {
  let [low, high] = [1, value.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    holder[key] = shown(value.slice(0, middle));
    if (tokensOf(root) <= max) low = middle;
    else high = middle - 1;
  }
  holder[key] = shown(value.slice(0, low));
  return `${key} has the first ${low} of ${value.length} rows.`;
}

/** Cuts between rows, since half a row would be wrong data; line breaks within a value are LF alone. */
function cutCsv(root: Json, place: Place<string>, max: number): string {
  const { holder, key, value } = place;
  const lines = value.replace(/\r\n$/, '').split('\r\n');
  if (lines.length === 1) return cutText(root, place, max);
  return cutRows(root, { holder, key, value: lines, shown: (rows) => `${rows.join('\r\n')}\r\n` }, max);
}

function cutText(root: Json, { holder, key, value }: Place<string>, max: number): string {
  holder[key] = '';
  // By code points, so that no character is split.
  const letters = [...value];
  // The ellipsis takes some of the room.
  const room = Math.max(30, max - tokensOf(root) - 3);
  // Assumes that escapes and alphabets are spread evenly; a text still too long is truncated again.
  const kept = Math.min(letters.length - 1, Math.floor((letters.length * room) / tokensOf(value)));
  holder[key] = `${letters.slice(0, kept).join('')}…`;
  return `${key} has the first ${kept} of ${letters.length} letters.`;
}

/** Sets the cursor after the last row kept. @returns false for rows without an id */
function moveCursor(data: Json, key: string): boolean {
  const last = (data[key] as { id?: unknown }[]).at(-1);
  if (typeof last?.id !== 'string') return false;
  data.nextCursor = last.id;
  return true;
}
