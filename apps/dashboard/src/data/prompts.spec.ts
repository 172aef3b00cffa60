import { describe, expect, it } from '@jest/globals';
import { askToConfirm, askToSignIn, waitingPrompts } from './prompts.js';

const question = { message: 'Deletes a tag.', action: 'delete_tag', instruction: '', confirmationCode: 1 };

describe('prompts', () => {
  it('wait behind each other, each with its own answer', async () => {
    const confirmed = askToConfirm(question, {});
    const password = askToSignIn('again');
    const second = askToConfirm(question, {});
    expect(waitingPrompts().map(({ kind }) => kind)).toEqual(['confirm', 'again', 'confirm']);
    expect(new Set(waitingPrompts().map(({ id }) => id)).size).toBe(3);
    waitingPrompts()[0]!.answer(true);
    expect(waitingPrompts().map(({ kind }) => kind)).toEqual(['again', 'confirm']);
    waitingPrompts()[0]!.answer(false);
    waitingPrompts()[0]!.answer(false);
    expect(await Promise.all([confirmed, password, second])).toEqual([true, false, false]);
  });

  it('ask once for the password however many calls need it', async () => {
    const both = Promise.all([askToSignIn('signIn'), askToSignIn('signIn')]);
    expect(waitingPrompts()).toHaveLength(1);
    waitingPrompts()[0]!.answer(true);
    expect(await both).toEqual([true, true]);
  });
});
