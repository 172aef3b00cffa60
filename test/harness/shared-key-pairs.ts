import type { DkimKeyPair } from '../../apps/domain/src/dkim-key/dkim-key.js';
import { makeDkimKeyPair as makeReal, makeSelector } from '../../apps/domain/src/dkim-key/make-key-pair.js';

/** Enough that a domain, its next key and another domain have different ones. */
const pairsMax = 4;
const pairs: Promise<DkimKeyPair>[] = [];
let given = 0;

/**
 * Stands in for `makeDkimKeyPair` where services run inside a test (jest.config.mjs): the pairs are real, but shared, since
 * making them took most of the processor time of tests, which make thousands of organizations.
 */
export async function makeDkimKeyPair(): Promise<DkimKeyPair> {
  const pair = (pairs[given++ % pairsMax] ??= makeReal());
  return { ...(await pair), selector: makeSelector() };
}
