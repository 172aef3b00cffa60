import type { z } from 'zod';
import type { approvalSubject, Args, CallContract, CallSet, Data, difference, fact, preview } from '#contracts';
import type { Caller } from './caller.js';

export type Handlers<S extends CallSet> = {
  [K in keyof S['calls']]: (
    args: Args<S['calls'][K] & CallContract>,
    caller: Caller,
  ) => Promise<Data<S['calls'][K] & CallContract>>;
};

/** What a call would do: one sentence from live data for a confirmation, and what an approver must see. */
export interface Description {
  /** What the code carries out, in a few words ("Send the campaign"). */
  action: string;
  message: string;
  subject?: z.output<typeof approvalSubject>;
  facts?: z.output<typeof fact>[];
  /**
   * What an approval binds besides the parameters: the call is approved only while this is the same; by default the
   * sentence. Small: what is large is hashed, since it travels with the approved call.
   */
  content?: unknown;
  /**
   * How many subscribers the approver sees that the call concerns. It is not bound, since it may grow until the
   * decision; the approved call decides how much growth is too much.
   */
  count?: number | undefined;
  preview?: z.output<typeof preview>;
  diff?: z.output<typeof difference>[];
}

/**
 * For the calls of a set that may need confirmation or approval: the same assertions as the handler, then the effect.
 * Null where the record is in a state in which the call needs none.
 */
export type Descriptions<S extends CallSet> = {
  [
    K in keyof S['calls'] as S['calls'][K] extends { confirm: true } | { scope: 'send' } | { asksByState: true }
      ? K
      : never
  ]: (
    args: Args<S['calls'][K] & CallContract>,
    caller: Caller,
  ) => Promise<S['calls'][K] extends { asksByState: true } ? Description | null : Description>;
};

export interface Implementation {
  set: CallSet;
  handlers: Record<string, (args: never, caller: Caller) => Promise<unknown>>;
  descriptions: Record<string, (args: never, caller: Caller) => Promise<Description | null>>;
}

export function implement<S extends CallSet>(
  set: S,
  handlers: Handlers<S>,
  ...descriptions: keyof Descriptions<S> extends never ? [] : [Descriptions<S>]
): Implementation {
  return {
    set,
    handlers: handlers,
    descriptions: descriptions[0] ?? {},
  };
}
