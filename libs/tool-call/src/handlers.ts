import type { Args, CallContract, CallSet, Data } from '#contracts';
import type { Caller } from './caller.js';

/** For each call of a set, the function that answers it. */
export type Handlers<S extends CallSet> = {
  [K in keyof S['calls']]: (
    args: Args<S['calls'][K] & CallContract>,
    caller: Caller,
  ) => Promise<Data<S['calls'][K] & CallContract>>;
};

/** What a confirmation says will happen: one sentence from live data. */
export interface Description {
  /** What the code carries out, in a few words ("Send the campaign"). */
  action: string;
  message: string;
}

/** For the calls of a set that ask for confirmation: the same assertions as the handler, then the sentence. */
export type Descriptions<S extends CallSet> = {
  [K in keyof S['calls'] as S['calls'][K] extends { confirm: true } ? K : never]: (
    args: Args<S['calls'][K] & CallContract>,
    caller: Caller,
  ) => Promise<Description>;
};

/** A contract set with its handlers: what the host of a service serves. */
export interface Implementation {
  set: CallSet;
  handlers: Record<string, (args: never, caller: Caller) => Promise<unknown>>;
  descriptions: Record<string, (args: never, caller: Caller) => Promise<Description>>;
}

/**
 * Pairs a set with its handlers. A missing handler, or a missing description of a tool with confirmation, is a compile
 * error.
 */
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
