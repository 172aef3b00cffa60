import { randomUUID } from 'node:crypto';
import type { TestSystem } from '#testing';
import { callTool } from './gateway-client.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';

const hands = 8;
const importedAtOnce = 20;
/** A call whose process died may be carried out again after a minute; before that its twin waits for it. */
const answeredWithinMs = 240_000;

/** What an acknowledged call must have left behind: how often, by name. */
export type Written = Map<string, number>;

/**
 * People being added, paid for, imported and unsubscribed through the gateway by several hands at once, each call under
 * an idempotency key that is repeated until there is an answer.
 */
export class WriteLoad {
  readonly written: Written = new Map();
  readonly failures: string[] = [];
  readonly #name = randomUUID().slice(0, 8);
  #answered = 0;
  #stopping = false;
  readonly #running: Promise<unknown>;

  constructor(private readonly system: TestSystem) {
    this.#running = Promise.all(Array.from({ length: hands }, (_, hand) => this.#work(hand)));
  }

  /** How many calls were answered. */
  get answered(): number {
    return this.#answered;
  }

  /** The domain of all addresses of this load. */
  get domain(): string {
    return `${this.#name}.faults.internal`;
  }

  /** Waits until every call has been answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  async #work(hand: number): Promise<void> {
    for (let n = 0; !this.#stopping && this.failures.length === 0; n++) {
      await this.#live(`person${hand}-${n}@${this.domain}`, n).catch((error: unknown) => {
        this.failures.push(String(error));
      });
    }
  }

  async #live(email: string, n: number): Promise<void> {
    const about = (...names: string[]) => names.map((name) => `${email} ${name}`);
    await this.#call('add_subscriber', { email, tags: ['load'] }, about('there', 'SUBSCRIBED', 'TAG_ADDED'));
    for (const amount of [1, 2]) {
      const payment = { email, eventType: 'SUBSCRIBER_PAYMENT', amount };
      await this.#call('create_event', payment, about('SUBSCRIBER_PAYMENT', ...Array<string>(amount).fill('revenue')));
    }
    if (n % 3 === 0) await this.#call('unsubscribe', { email }, about('UNSUBSCRIBED'));
    if (n % 5 > 0) return;
    const emails = Array.from({ length: importedAtOnce }, (_, row) => `row${row}.${email}`);
    const subscribers = emails.map((one) => ({ email: one }));
    const left = emails.flatMap((one) => [`${one} there`, `${one} SUBSCRIBED`]);
    await this.#call('import_subscribers', { subscribers }, left);
  }

  /** @param left what one effect of the call leaves behind */
  async #call(tool: string, input: object, left: readonly string[]): Promise<void> {
    const key = randomUUID();
    const ask = async () => {
      const { status, body } = await callTool(this.system, { tool, input, key });
      if (status >= 500) throw new Error(`${tool} was answered ${status}`);
      return { status, body };
    };
    const { status, body } = await retryUntilAnswered(tool, ask, answeredWithinMs);
    // It says that the effect is there, and that only its answer is lost.
    if (status !== 200 && body.reason !== 'ANSWER_LOST') {
      throw new Error(`${tool} was answered ${status} ${JSON.stringify(body)}`);
    }
    this.#answered += 1;
    for (const name of left) this.written.set(name, (this.written.get(name) ?? 0) + 1);
  }
}
