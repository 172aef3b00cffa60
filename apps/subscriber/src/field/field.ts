import { customValueBytesMax } from '#contracts';
import { ToolError } from '#tool-call';

export interface Field {
  id: string;
  /** As it is stored: a uuid; the key of the values. */
  key: string;
  name: string;
}

/** Why `asked` more fields are not allowed; null when they are. */
export function roomRefusal({ limit, used }: { limit: number; used: number }, asked: number): ToolError | null {
  if (asked === 0 || used + asked <= limit) return null;
  const advice = `${asked} more would exceed it. Use or delete existing ones (get_custom_fields), or ask the operator of this installation for more.`;
  return new ToolError('LIMIT_REACHED', { what: 'custom fields', limit, used, advice });
}

export function assertRoom(room: { limit: number; used: number }, asked: number): void {
  const refusal = roomRefusal(room, asked);
  if (refusal) throw refusal;
}

export function valueBytes(values: Iterable<string | null>): number {
  let sum = 0;
  for (const value of values) if (value !== null) sum += Buffer.byteLength(value);
  return sum;
}

/** Why a subscriber's custom values cannot be saved; values that were there before the limit may stay and shrink. */
export function valueRefusal(before: Iterable<string>, after: Iterable<string | null>): ToolError | null {
  const used = valueBytes(after);
  if (used <= customValueBytesMax || used <= valueBytes(before)) return null;
  const advice = 'Shorten values, or clear some with null.';
  return new ToolError('LIMIT_REACHED', {
    what: 'bytes of custom values for each subscriber',
    limit: customValueBytesMax,
    used,
    advice,
  });
}
