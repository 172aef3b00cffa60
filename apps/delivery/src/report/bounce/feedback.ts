import type { BounceDecision } from '#contracts';
import type { BounceClass } from '../../message/bounce-class.js';
import type { MessageState } from '../../message/message.js';

export type Feedback =
  | { kind: 'delivered' }
  | { kind: 'delayed'; reason: string }
  | ({ kind: 'bounced'; reason: string; status: string | null; suppression: BounceDecision } & BounceClass)
  | { kind: 'complained'; feedbackType: string | null; provider: string | null };

/** `countedAs`: the state a message was counted as so far; null if it was in doubt and uncounted. */
export interface Transition {
  state: MessageState;
  countedAs: 'SENT' | 'DELIVERED' | null;
}

const counted: Partial<Record<MessageState, Transition['countedAs']>> = {
  SENT: 'SENT',
  DELIVERED: 'DELIVERED',
  COMPLAINED: 'DELIVERED',
  IN_DOUBT: null,
};

/**
 * A message in doubt was evidently sent. A bounced message stays bounced, and only a delivered one can be complained
 * of.
 * @returns `later` while the relay's own reply is not recorded yet; null if nothing changes
 */
export function transitionOf(state: MessageState, { kind }: Feedback): Transition | 'later' | null {
  if (state === 'HANDING_OVER') return 'later';
  const countedAs = counted[state];
  if (countedAs === undefined || state === 'COMPLAINED') return null;
  switch (kind) {
    case 'delivered':
      return state === 'DELIVERED' ? null : { state: 'DELIVERED', countedAs };
    case 'delayed':
      return { state: state === 'IN_DOUBT' ? 'SENT' : state, countedAs };
    case 'bounced':
      return { state: 'BOUNCED', countedAs };
    case 'complained':
      return { state: 'COMPLAINED', countedAs };
  }
}

export interface CounterChanges {
  sent: number;
  inDoubt: number;
  delivered: number;
  bounced: number;
}
export const noChange: CounterChanges = { sent: 0, inDoubt: 0, delivered: 0, bounced: 0 };

export function counterChanges({ state, countedAs }: Transition): CounterChanges {
  const arrived = state === 'DELIVERED' || state === 'COMPLAINED';
  return {
    sent: Number(countedAs === null),
    inDoubt: countedAs === null ? -1 : 0,
    delivered: Number(arrived) - Number(countedAs === 'DELIVERED'),
    bounced: Number(state === 'BOUNCED'),
  };
}

export const addCounters = (a: CounterChanges, b: CounterChanges): CounterChanges => ({
  sent: a.sent + b.sent,
  inDoubt: a.inDoubt + b.inDoubt,
  delivered: a.delivered + b.delivered,
  bounced: a.bounced + b.bounced,
});
