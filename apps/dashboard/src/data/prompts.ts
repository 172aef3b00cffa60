import type { ConfirmationQuestion } from '#client';
import { listen } from './listen.js';

export interface ConfirmOptions {
  /** The text of the button, such as "Delete tag"; default: the API's action. */
  button?: string;
  /** What must be typed first, where the action cannot be undone. */
  typed?: string;
  /** The page itself shows what the call does, with its numbers, and was the confirmation. */
  isShown?: true;
}

/** What a call needs from the person before it goes on. */
export type Prompt = Asked & { id: number; answer: (yes: boolean) => void };
type Asked =
  | { kind: 'confirm'; question: ConfirmationQuestion; options: ConfirmOptions }
  | { kind: 'again' | 'signIn' };

let waiting: readonly Prompt[] = [];
const changes = listen();
let lastId = 0;

const publish = (next: readonly Prompt[]): void => {
  waiting = next;
  changes.tell();
};

export const waitingPrompts = (): readonly Prompt[] => waiting;

export const onPrompts = changes.add;

export const askToConfirm = (question: ConfirmationQuestion, options: ConfirmOptions): Promise<boolean> =>
  ask({ kind: 'confirm', question, options });

const shared: Partial<Record<'again' | 'signIn', Promise<boolean>>> = {};

/** Asks for the password (`again`), or for a new sign-in over the page. Calls that need it at once share one prompt. */
export const askToSignIn = (kind: 'again' | 'signIn'): Promise<boolean> =>
  (shared[kind] ??= ask({ kind }).finally(() => delete shared[kind])).then((yes) => {
    if (kind === 'signIn') isSignInDeclined = !yes;
    return yes;
  });

let isSignInDeclined = false;

/** Whether the person said no to the last new sign-in: then only what they do themselves asks again. */
export const hasDeclinedSignIn = (): boolean => isSignInDeclined;

const ask = (asked: Asked): Promise<boolean> =>
  new Promise((resolve) => {
    const id = ++lastId;
    const answer = (yes: boolean) => {
      publish(waiting.filter((one) => one.id !== id));
      resolve(yes);
    };
    publish([...waiting, { ...asked, id, answer }]);
  });
