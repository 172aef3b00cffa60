import { Worker } from 'node:worker_threads';
import type { Logger } from '#observability';
import type { RenderRecipient, CampaignRenderer } from './campaign-renderer.js';
import type { RenderResult, RenderRequest, RenderOutcome } from './render-protocol.js';

/** Render plans that a thread is assumed to hold; past that they are sent to it again. */
const givenMax = 1_000;

interface Thread {
  worker: Worker;
  /** Ids of render plans it was sent; it may have dropped old ones. */
  given: Set<number>;
  waiting: Map<number, { resolve: (made: RenderResult) => void; reject: (error: Error) => void }>;
}

/**
 * Renders the messages of campaigns on threads, so that no relay or database waits for a signature. An ended thread is
 * started again when needed.
 */
export class RenderPool {
  readonly #threads: (Thread | null)[];
  readonly #recipeIds = new WeakMap<CampaignRenderer, number>();
  #recipes = 0;
  #orders = 0;

  constructor(private readonly options: { threads: number; file: URL; log: Logger }) {
    this.#threads = Array.from({ length: options.threads }, () => null);
  }

  /**
   * @param signs whether the messages get our signature
   * @throws Error when the thread has ended; then nothing was rendered and the same call may be repeated
   */
  async make(mail: CampaignRenderer, recipients: readonly RenderRecipient[], signs: boolean): Promise<RenderOutcome[]> {
    const thread = this.#leastBusy();
    const recipeId = this.#recipeId(mail);
    const first = await this.#ask(thread, {
      recipeId,
      recipe: thread.given.has(recipeId) ? null : mail.recipe,
      addressees: recipients,
      signs,
    });
    if (thread.given.size >= givenMax) thread.given.clear();
    thread.given.add(recipeId);
    const { messages } = first.messages
      ? first
      : await this.#ask(thread, { recipeId, recipe: mail.recipe, addressees: recipients, signs });
    return messages!;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread?.worker.terminate()));
  }

  #recipeId(mail: CampaignRenderer): number {
    const id = this.#recipeIds.get(mail) ?? this.#recipes++;
    this.#recipeIds.set(mail, id);
    return id;
  }

  async #ask(thread: Thread, question: Omit<RenderRequest, 'order'>): Promise<RenderResult> {
    const order = this.#orders++;
    return await new Promise((resolve, reject) => {
      thread.waiting.set(order, { resolve, reject });
      thread.worker.postMessage({ order, ...question } satisfies RenderRequest);
    });
  }

  #leastBusy(): Thread {
    const at = this.#threads.reduce((least, thread, place) => {
      const load = (one: Thread | null | undefined) => one?.waiting.size ?? 0;
      return load(thread) < load(this.#threads[least]) ? place : least;
    }, 0);
    return (this.#threads[at] ??= this.#start(at));
  }

  #start(place: number): Thread {
    const thread: Thread = { worker: new Worker(this.options.file), given: new Set(), waiting: new Map() };
    const { worker, waiting } = thread;
    // A caller that waits for messages holds connections besides: a thread alone need not keep the process.
    worker.unref();
    worker.on('message', (made: RenderResult) => {
      const { resolve } = waiting.get(made.order)!;
      waiting.delete(made.order);
      resolve(made);
    });
    worker.on('error', (error) => this.options.log.error({ err: error }, 'render thread failed'));
    worker.once('exit', () => {
      if (this.#threads[place] === thread) this.#threads[place] = null;
      for (const { reject } of waiting.values()) reject(new Error('The render thread has ended'));
    });
    return thread;
  }
}
