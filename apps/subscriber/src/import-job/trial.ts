import { nameKey } from '#tool-call';
import { valueRefusal } from '../field/field.js';
import type { ProfileInput } from '../subscriber/profile.js';
import { nextStatus } from '../subscriber/subscriber.js';
import type { StatusChangeRequest, SubscriberState } from '../subscriber/subscriber.js';

/** What a trial knows of a subscriber: what the rows before have left. */
export interface TrialState extends Pick<SubscriberState, 'name' | 'phone' | 'country' | 'ip' | 'status' | 'marks'> {
  /** Values by field name key. */
  custom: Record<string, string>;
  /** Name keys. */
  tags: string[];
}

export type TrialOutcome = { created: boolean; changed: boolean; state: TrialState } | { refusal: string };

/** Decides what SubscriberService would do with a subscriber of an import; `before` is null for a new one. */
export function tryProfile(before: TrialState | null, input: ProfileInput, change: StatusChangeRequest): TrialOutcome {
  const state: TrialState = before
    ? { ...before, custom: { ...before.custom }, tags: [...before.tags] }
    : { ...emptyState, custom: {}, tags: [] };
  let changed = false;
  for (const key of ['name', 'phone', 'country', 'ip'] as const) {
    const value = input[key];
    if (value === undefined || value === state[key]) continue;
    state[key] = value;
    changed = true;
  }
  for (const [name, value] of input.fields) {
    const key = nameKey(name);
    if ((state.custom[key] ?? null) === value) continue;
    if (value === null) delete state.custom[key];
    else state.custom[key] = value;
    changed = true;
  }
  for (const key of new Set(input.tags.map(nameKey))) {
    if (state.tags.includes(key)) continue;
    state.tags.push(key);
    changed = true;
  }
  const refusal =
    valueRefusal([], input.fields.values()) ??
    (before && valueRefusal(Object.values(before.custom), Object.values(state.custom)));
  if (refusal) return { refusal: refusal.message };
  if (!before) return { created: true, changed: false, state };
  state.status = nextStatus(before, change);
  return { created: false, changed: changed || state.status !== before.status, state };
}

/** A new subscriber's status is final for the rows that follow. */
const emptyState = {
  name: null,
  phone: null,
  country: null,
  ip: null,
  status: 'SUBSCRIBED' as const,
  marks: { banned: false, hardBounced: false, complained: false },
};
