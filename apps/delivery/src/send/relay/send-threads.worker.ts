import type { Logger } from '#observability';
import { SendThread } from './send-thread.worker.js';

const stopMs = 1_000;

/** The threads that render and send; an ended one is started again when it is needed. */
export class SendThreads {
  readonly #threads: (SendThread | null)[];
  /** How many of them get work. */
  #active: number;

  constructor(private readonly options: { threads: number; file: URL; log: Logger }) {
    this.#threads = Array.from({ length: options.threads }, () => null);
    this.#active = options.threads;
  }

  /** Rendered messages that are neither sent nor dropped, in octets. */
  get heldOctets(): number {
    return this.#threads.reduce((sum, thread) => sum + (thread?.heldOctets ?? 0), 0);
  }

  /**
   * Gives work to as many threads as are worth it: a signature takes a processor, and without one a single thread sends
   * faster than several.
   * @param connections the relay allows; a thread without any could send nothing
   */
  use({ signs, connections }: { signs: boolean; connections: number }): void {
    this.#active = signs ? Math.max(1, Math.min(this.#threads.length, connections)) : 1;
  }

  /** Returns the thread that has the least to render and to send. */
  leastLoaded(): SendThread {
    return this.#least(({ load }) => load);
  }

  /** Returns the thread with the fewest connections. */
  leastConnected(): SendThread {
    return this.#least(({ connections }) => connections);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread?.stop(stopMs)));
  }

  #least(amount: (thread: SendThread) => number): SendThread {
    let least = 0;
    const of = (place: number) => {
      const thread = this.#threads[place];
      return thread ? amount(thread) : 0;
    };
    for (let place = 1; place < this.#active; place++) if (of(place) < of(least)) least = place;
    return (this.#threads[least] ??= this.#start(least));
  }

  #start(place: number): SendThread {
    const thread: SendThread = new SendThread(this.options.file, {
      log: this.options.log,
      onEnd: () => {
        if (this.#threads[place] === thread) this.#threads[place] = null;
      },
    });
    return thread;
  }
}
