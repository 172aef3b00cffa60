import { createHmac } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const ROUNDS = 22;
const KEY_WORDS = 4;
/** Digits of a UUID before its last 32 bits, with dashes. */
const HEAD_LENGTH = 28;

const rotateLeft = (word: number, by: number): number => ((word << by) | (word >>> (16 - by))) & 0xffff;

/** Expands a key of four 16-bit words, the last one first, into the round keys of SPECK32/64. */
export const speckRoundKeys = (key: readonly [number, number, number, number]): Uint16Array => {
  const keys = new Uint16Array(ROUNDS);
  const words = [key[2], key[1], key[0]];
  keys[0] = key[3];
  for (let round = 0; round < ROUNDS - 1; round++) {
    const at = round % (KEY_WORDS - 1);
    words[at] = ((keys[round]! + rotateLeft(words[at]!, 9)) & 0xffff) ^ round;
    keys[round + 1] = rotateLeft(keys[round]!, 2) ^ words[at];
  }
  return keys;
};

/** SPECK32/64 (Beaulieu et al., "The SIMON and SPECK Families of Lightweight Block Ciphers", 2013). */
export const speckEncrypt = (block: number, keys: Uint16Array): number => {
  let left = block >>> 16;
  let right = block & 0xffff;
  for (const key of keys) {
    left = ((rotateLeft(left, 9) + right) & 0xffff) ^ key;
    right = rotateLeft(right, 2) ^ left;
  }
  return ((left << 16) | right) >>> 0;
};

export const speckDecrypt = (block: number, keys: Uint16Array): number => {
  let left = block >>> 16;
  let right = block & 0xffff;
  for (let round = ROUNDS - 1; round >= 0; round--) {
    right = rotateLeft(right ^ left, 14);
    left = rotateLeft(((left ^ keys[round]!) - right) & 0xffff, 7);
  }
  return ((left << 16) | right) >>> 0;
};

/**
 * Permutes the last 32 bits of the id of a campaign's message. Where an id is by position (send, chunk, place in the
 * chunk), they would reveal how many recipients a send has. The permutation differs from send to send: its key is
 * derived from the other 96 bits. It hides sizes and protects nothing else; tags protect the ids.
 */
export class PositionCipher {
  #last: { head: string; keys: Uint16Array } = { head: '', keys: new Uint16Array(0) };

  constructor(private readonly key: KeyObject) {}

  /** @param messageId a UUID in hex with dashes */
  hide(messageId: string): string {
    return this.#change(messageId, speckEncrypt);
  }

  reveal(messageId: string): string {
    return this.#change(messageId, speckDecrypt);
  }

  #change(messageId: string, change: (block: number, keys: Uint16Array) => number): string {
    const head = messageId.slice(0, HEAD_LENGTH);
    const block = change(Number.parseInt(messageId.slice(HEAD_LENGTH), 16), this.#keysOf(head));
    return head + block.toString(16).padStart(8, '0');
  }

  /** The messages of a send follow one another and share their keys. */
  #keysOf(head: string): Uint16Array {
    if (head === this.#last.head) return this.#last.keys;
    const mac = createHmac('sha256', this.key).update(head).digest();
    const word = (at: number): number => mac.readUInt16BE(2 * at);
    this.#last = { head, keys: speckRoundKeys([word(0), word(1), word(2), word(3)]) };
    return this.#last.keys;
  }
}

/** Whether the id of a message is by position: a UUID of version 8. */
export const isPositional = (messageId: string): boolean => messageId[14] === '8';
