import type { z } from 'zod';
import type { approvalSubject, Args, CallContract, CallSet, Data, difference, fact, preview } from '#contracts';
import type { Caller } from './caller.js';

/** For each call of a set, the function that answers it. */
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
  /** The record that the call is about. */
  subject?: z.output<typeof approvalSubject>;
  facts?: z.output<typeof fact>[];
  /** What an approval binds: the call is approved only while this is the same. Default: the parameters alone. */
  content?: unknown;
  preview?: z.output<typeof preview>;
  diff?: z.output<typeof difference>[];
}

/** For the calls of a set that may need confirmation or approval: the same assertions as the handler, then the effect. */
export type Descriptions<S extends CallSet> = {
  [K in keyof S['calls'] as S['calls'][K] extends { confirm: true } | { scope: 'send' } ? K : never]: (
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
