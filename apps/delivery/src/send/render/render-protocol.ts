import type { RenderRecipient, RenderedMessage, RenderPlan } from './campaign-renderer.js';

/** A request to a thread: a message for each of some recipients. */
export interface RenderRequest {
  /** Identifies the result of this request. */
  order: number;
  recipeId: number;
  /** Omitted if the thread has it. */
  recipe: RenderPlan | null;
  addressees: readonly RenderRecipient[];
}

/**
 * The thread's result: the messages in the order of the recipients; null when it does not have the render plan (any
 * more).
 */
export interface RenderResult {
  order: number;
  messages: RenderOutcome[] | null;
}

/** A message, or why it cannot be rendered for this recipient. */
export type RenderOutcome = RenderedMessage | { failure: string };
