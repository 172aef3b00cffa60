import type { Addressee, MadeMail, MailRecipe } from './campaign-renderer.js';

/** What a thread is asked: a message for each of some people. */
export interface MakeMessages {
  /** Tells the answer. */
  order: number;
  recipeId: number;
  /** Left out where the thread has it. */
  recipe: MailRecipe | null;
  addressees: readonly Addressee[];
}

/** What it answers: the messages in the order of the people; null when it does not have the recipe (any more). */
export interface MadeMessages {
  order: number;
  messages: MakingResult[] | null;
}

/** A message, or why it cannot be made for this person. */
export type MakingResult = MadeMail | { failure: string };
