import { askToSignIn } from '../data/prompts.js';
import { Refusal } from '../data/refusal.js';

/** Makes a private call; where it needs a recent sign-in, asks for the password over the page and repeats it. */
export async function withRecentSignIn<D>(call: () => Promise<D>): Promise<D> {
  try {
    return await call();
  } catch (error) {
    const needed = error instanceof Refusal && error.reason === 'REAUTHENTICATION_REQUIRED';
    if (!needed || !(await askToSignIn('again'))) throw error;
    return await call();
  }
}
