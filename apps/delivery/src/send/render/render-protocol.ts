import type { RenderRecipient, RenderPlan } from './campaign-renderer.js';

export interface RenderRequest {
  order: number;
  recipeId: number;
  /** Omitted if the thread has it. */
  recipe: RenderPlan | null;
  addressees: readonly RenderRecipient[];
  /** Whether the messages get our signature. */
  signs: boolean;
  /** The number of the first message; the thread keeps the messages by their numbers. */
  first: number;
}

/** What the main thread learns of a message that stays in the thread; `octets` is its length. */
export type RenderedSummary = { subject: string; to: string; octets: number } | { failure: string };

/**
 * The thread's result: the messages in the order of the recipients; null when it does not have the render plan (any
 * more).
 */
export interface RenderResult {
  order: number;
  messages: RenderedSummary[] | null;
}
