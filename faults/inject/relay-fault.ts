import type { MakeTrouble, Trouble } from '../sink/sink-session.js';

/** Relays that misbehave. */
const troubleTargets = ['relay-hang', 'relay-drop', 'relay-4xx', 'relay-5xx', 'relay-421'] as const;
/** Relays without PIPELINING, or that take long for each message; delivery is killed meanwhile. */
const kindTargets = ['relay-serial', 'relay-slow'] as const;
export const relayTargets = [...troubleTargets, ...kindTargets] as const;
export type RelayTarget = (typeof relayTargets)[number];
export type TroubleTarget = (typeof troubleTargets)[number];

/** Whether the relay misbehaves, and no process is struck. */
export const isTroubleTarget = (target: string): target is TroubleTarget =>
  (troubleTargets as readonly string[]).includes(target);

const burstMs = 3_000;
/** Less than the client waits, so that a connection hangs once. */
const spellMs = 1_000;

/**
 * What a relay of this kind does from now on.
 * @param random seeded, in [0, 1)
 * @param connections open at this moment: no more messages hang or are cut off, since each may be left in doubt
 */
export function relayTrouble(target: TroubleTarget, random: () => number, connections: number): MakeTrouble {
  const until = Date.now() + burstMs;
  const spellEnds = Date.now() + spellMs;
  let left = connections;
  const oneMore = (): boolean => Date.now() < spellEnds && left-- > 0;
  const burst = (share: number, reply: string): Trouble | null =>
    Date.now() < until && random() < share ? { do: 'refuse', reply } : null;
  switch (target) {
    case 'relay-hang':
      return (stage) => (stage === 'DOT' && oneMore() ? { do: 'hang', taken: random() < 0.5 } : null);
    case 'relay-drop':
      return (stage) => {
        if ((stage !== 'DATA' && stage !== 'BODY') || (stage === 'DATA' && random() < 0.5)) return null;
        return oneMore() ? { do: 'drop' } : null;
      };
    case 'relay-4xx':
      return (stage) => {
        if (stage === 'MAIL') return burst(0.3, '450 4.3.2 Not now');
        if (stage === 'RCPT') return burst(0.3, '451 4.7.1 Greylisted');
        return stage === 'DOT' ? burst(0.3, '452 4.3.1 No room') : null;
      };
    case 'relay-5xx':
      return (stage) => (stage === 'RCPT' && random() < 0.2 ? { do: 'refuse', reply: '550 5.1.1 No such user' } : null);
    case 'relay-421':
      return (stage) => {
        if (stage === 'GREETING') return burst(0.5, '421 4.3.2 Too many connections');
        return stage === 'MAIL' || stage === 'DOT' ? burst(0.2, '421 4.3.2 Going away') : null;
      };
  }
}
