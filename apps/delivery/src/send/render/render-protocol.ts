import type { RenderRecipient, RenderedMessage, RenderPlan } from './campaign-renderer.js';

/** What a thread is asked: a message for each of some people. */
export interface RenderRequest {
  /** Identifies the result of this request. */
  order: number;
  recipeId: number;
  /** Left out where the thread has it. */
  recipe: RenderPlan | null;
  addressees: readonly RenderRecipient[];
}

/** What it answers: the messages in the order of the people; null when it does not have the recipe (any more). */
export interface RenderResult {
  order: number;
  messages: RenderOutcome[] | null;
}

/** A message, or why it cannot be made for this person. */
export type RenderOutcome = RenderedMessage | { failure: string };
