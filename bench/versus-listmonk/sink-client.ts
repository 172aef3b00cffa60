import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Taken, Tally } from '../campaign-send/sink.js';

const pollMs = 100;
const answerMs = 30_000;

/** The sink of `campaign-send`, in a process of its own. */
export class SinkClient {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(buildDir: string): Promise<SinkClient> {
    const child = fork(join(buildDir, 'bench', 'campaign-send', 'sink.js'), [], { execArgv: ['--v8-pool-size=1'] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new SinkClient(child, port);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Counts from 0. @returns what waits for the sink's report of `size` messages */
  async expect(size: number): Promise<(withinMs: number) => Promise<Taken>> {
    await this.#ask(size);
    const taken = once(this.child, 'message') as Promise<[Taken]>;
    return async (withinMs) => {
      const late = sleep(withinMs, null, { ref: false }).then(() => {
        throw new Error(`The sink did not get ${size} messages within ${withinMs} ms.`);
      });
      const [result] = await Promise.race([taken, late]);
      return result;
    };
  }

  /** Counts from 0 without end: `tally` says how many came. */
  async count(): Promise<void> {
    await this.#ask(Number.MAX_SAFE_INTEGER);
  }

  async tally(): Promise<Tally> {
    return (await this.#ask('tally')) as Tally;
  }

  /** @returns how many of these addresses got a message */
  async known(addresses: readonly string[]): Promise<number> {
    return ((await this.#ask(addresses)) as { known: number }).known;
  }

  /** Waits until this number of messages came. @throws Error after `withinMs` */
  async reached(messages: number, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while ((await this.tally()).messages < messages) {
      if (Date.now() > end) throw new Error(`The sink did not get ${messages} messages within ${withinMs} ms.`);
      await sleep(pollMs);
    }
  }

  /** Waits until no message has come for so long. */
  async settled(quietMs: number): Promise<Tally> {
    let last = await this.tally();
    for (let quietSince = Date.now(); Date.now() - quietSince < quietMs;) {
      await sleep(pollMs);
      const now = await this.tally();
      if (now.messages !== last.messages) quietSince = Date.now();
      last = now;
    }
    return last;
  }

  stop(): void {
    this.child.disconnect();
  }

  async #ask(question: number | 'tally' | readonly string[]): Promise<unknown> {
    const answer = once(this.child, 'message', { signal: AbortSignal.timeout(answerMs) });
    this.child.send(question);
    const [message] = (await answer) as [unknown];
    return message;
  }
}
