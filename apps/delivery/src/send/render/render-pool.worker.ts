import type { Logger } from '#observability';
import { SendThreads } from '../relay/send-threads.worker.js';
import type { RenderedHandle, SendThread } from '../relay/send-thread.worker.js';
import type { RenderRecipient, CampaignRenderer } from './campaign-renderer.js';
import type { RenderedSummary, RenderRequest } from './render-protocol.js';

/** Render plans that a thread is assumed to hold; past that they are sent to it again. */
const givenMax = 1_000;
/** Octets of messages of one process that are rendered ahead of their attempts. */
const aheadOctetsMax = 16 * 1024 * 1024;

/** A message that stays in the thread that rendered it, or why none could be rendered. */
export type RenderOutcome = { subject: string; message: RenderedHandle } | { failure: string };

/**
 * Renders the messages of campaigns on threads, which also send them, so that no relay or database waits for a
 * signature.
 */
export class RenderPool {
  readonly threads: SendThreads;
  readonly #recipeIds = new WeakMap<CampaignRenderer, number>();
  #recipes = 0;
  #orders = 0;
  #messages = 0;

  constructor(options: { threads: number; file: URL; log: Logger }) {
    this.threads = new SendThreads(options);
  }

  /** Whether as much is rendered ahead as memory may hold. */
  get isFull(): boolean {
    return this.threads.heldOctets >= aheadOctetsMax;
  }

  /**
   * @param signs whether the messages get our signature
   * @returns one outcome a recipient, in order; each message has to be sent or dropped
   * @throws ThreadEnded when the thread has ended; then nothing was rendered and the same call may be repeated
   */
  async make(mail: CampaignRenderer, recipients: readonly RenderRecipient[], signs: boolean): Promise<RenderOutcome[]> {
    const thread = this.threads.leastLoaded();
    const recipeId = this.#recipeId(mail);
    const first = this.#messages;
    this.#messages += recipients.length;
    const request = { recipeId, recipe: thread.plans.has(recipeId) ? null : mail.recipe, addressees: recipients };
    const whole = { ...request, signs, first };
    const { messages } = await this.#ask(thread, whole);
    if (thread.plans.size >= givenMax) thread.plans.clear();
    thread.plans.add(recipeId);
    const summaries = messages ?? (await this.#ask(thread, { ...whole, recipe: mail.recipe })).messages!;
    return summaries.map((summary, place) => outcomeOf(summary, { thread, number: first + place, signs }));
  }

  async stop(): Promise<void> {
    await this.threads.stop();
  }

  #recipeId(mail: CampaignRenderer): number {
    const id = this.#recipeIds.get(mail) ?? this.#recipes++;
    this.#recipeIds.set(mail, id);
    return id;
  }

  async #ask(thread: SendThread, request: Omit<RenderRequest, 'order'>) {
    return await thread.render({ order: this.#orders++, ...request });
  }
}

function outcomeOf(
  summary: RenderedSummary,
  { thread, number, signs }: { thread: SendThread; number: number; signs: boolean },
): RenderOutcome {
  if ('failure' in summary) return summary;
  const { subject, to, octets } = summary;
  const signature = { isSigned: signs, withSignature: signs };
  const message: RenderedHandle = { thread, number, to, octets, ...signature, isHeld: true };
  thread.keep(message);
  return { subject, message };
}
