import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hash, verify } from '@node-rs/argon2';
import { Semaphore } from '#concurrency';
import { deriveKey } from '#link-token';
import { ToolError } from '#tool-call';

/** OWASP's minimum for argon2id (RFC 9106): 19 MiB, 2 passes, 1 lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const current = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`;
/** Passwords hashed at a time in one process: each takes 19 MiB and a thread of the pool. */
const hashesAtOnce = 2;
const waitingMax = 50;

const lengthMin = 12;
const lengthMax = 200;
/** Words shorter than this are in too many good passwords. */
const wordLengthMin = 4;

const common = new Set(readFileSync(new URL('./assets/common-passwords.txt', import.meta.url), 'utf8').split('\n'));

/**
 * Checks a new password, taken exactly as typed.
 * @param words an attacker tries first, besides the commonest passwords: the address's local part, the organization's name
 * @throws ToolError PASSWORD_REFUSED naming the rule
 */
export function assertPassword(password: string, words: readonly string[]): void {
  const refuse = (problem: string) => new ToolError('PASSWORD_REFUSED', { problem });
  const length = [...password].length;
  if (length < lengthMin) throw refuse(`has ${length} characters; ${lengthMin} are needed`);
  if (length > lengthMax) throw refuse(`has ${length} characters; at most ${lengthMax} are possible`);
  const lower = password.toLowerCase();
  if (common.has(lower)) throw refuse('is one of the most common passwords');
  const word = [...words, 'tidings']
    .map((one) => one.toLowerCase())
    .find((one) => one.length >= wordLengthMin && lower.includes(one));
  if (word !== undefined) throw refuse(`contains "${word}"`);
}

/** Hashes passwords by argon2id over an HMAC, so that a stolen table alone cannot be tried against. */
export class PasswordHasher {
  readonly #key: Buffer;
  readonly #semaphore = new Semaphore({ limit: hashesAtOnce });
  #dummy: Promise<string> | null = null;

  constructor(masterKeyHex: string) {
    this.#key = deriveKey(masterKeyHex, 'passwords');
  }

  /** @throws ToolError SERVICE_UNAVAILABLE when 50 other passwords wait */
  async hash(password: string): Promise<string> {
    return await this.#bounded(() => hash(this.#keyed(password), parameters));
  }

  /**
   * Verifies a password.
   * @param stored null for an unknown user, which costs the same time
   * @returns whether it is right, and the hash to store instead if parameters have changed since
   * @throws ToolError SERVICE_UNAVAILABLE when 50 other passwords wait
   */
  async verify(password: string, stored: string | null): Promise<{ ok: boolean; rehashed?: string }> {
    const against = stored ?? (await (this.#dummy ??= this.hash('no user has this password')));
    const ok = (await this.#bounded(() => verify(against, this.#keyed(password)))) && stored !== null;
    return ok && !against.startsWith(current) ? { ok, rehashed: await this.hash(password) } : { ok };
  }

  #keyed(password: string): string {
    return createHmac('sha256', this.#key).update(password).digest('base64url');
  }

  async #bounded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#semaphore.state.waiting >= waitingMax) throw new ToolError('SERVICE_UNAVAILABLE', { service: 'domain' });
    return await this.#semaphore.run({}, work);
  }
}
