/** @jest-environment jsdom */
import '../../test/jsdom-window.js';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ConfirmationQuestion } from '#client';
import type { ConfirmOptions } from '../data/prompts.js';
import { ConfirmDialog } from './confirm-dialog.js';

const question = {
  action: 'delete_tag',
  message: "Deletes the tag 'customer' of 1,204 subscribers.",
  confirmationCode: 12_345,
} as ConfirmationQuestion;

const open = (options: ConfirmOptions = {}) => {
  const answer = jest.fn<(yes: boolean) => void>();
  render(<ConfirmDialog question={question} options={options} answer={answer} />);
  return { answer, user: userEvent.setup() };
};
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

describe('ConfirmDialog', () => {
  afterEach(cleanup);

  it('shows what the API says, and answers yes by the button that names the deed', async () => {
    const { answer, user } = open();
    expect(screen.getByRole('dialog', { name: 'Delete tag' })).toBeTruthy();
    expect(screen.getByText(question.message)).toBeTruthy();
    expect(document.activeElement).toBe(button('Delete tag'));
    await user.keyboard('{Enter}');
    expect(answer.mock.calls).toEqual([[true]]);
  });

  it('answers no by its other button', async () => {
    const { answer, user } = open({ button: 'Delete it everywhere' });
    expect(screen.getByRole('dialog', { name: 'Delete it everywhere' })).toBeTruthy();
    await user.click(button('Cancel'));
    expect(answer.mock.calls).toEqual([[false]]);
  });

  it('waits for the name where nothing can be taken back', async () => {
    const { answer, user } = open({ typed: 'customer' });
    const field = screen.getByRole('textbox', { name: 'Type customer to confirm' });
    expect(document.activeElement).toBe(field);
    await user.type(field, 'custome{Enter}');
    expect(button('Delete tag').disabled).toBe(true);
    expect(answer).not.toHaveBeenCalled();
    await user.type(field, 'r');
    expect(button('Delete tag').disabled).toBe(false);
    await user.type(field, '{Enter}');
    expect(answer.mock.calls).toEqual([[true]]);
  });
});
