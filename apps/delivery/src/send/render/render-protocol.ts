import type { RenderRecipient, RenderedMessage, RenderPlan } from './campaign-renderer.js';

export interface RenderRequest {
  order: number;
  recipeId: number;
  /** Omitted if the thread has it. */
  recipe: RenderPlan | null;
  addressees: readonly RenderRecipient[];
  /** Whether the messages get our signature. */
  signs: boolean;
}

/**
 * The thread's result: the messages in the order of the recipients; null when it does not have the render plan (any
 * more).
 */
export interface RenderResult {
  order: number;
  messages: RenderOutcome[] | null;
}

export type RenderOutcome = RenderedMessage | { failure: string };
