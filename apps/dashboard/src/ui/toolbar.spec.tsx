/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Toolbar } from './toolbar.js';

const label = 'Formatting';
const bar = (names: readonly string[], disabled?: string) => (
  <>
    <Toolbar label={label}>
      {names.map((name) => (
        <button key={name} type="button" disabled={name === disabled}>
          {name}
        </button>
      ))}
      <div>
        <button type="button">{'In a popover'}</button>
      </div>
    </Toolbar>
    <input aria-label={label} />
  </>
);
const focused = () => document.activeElement?.textContent;
const stops = () =>
  screen
    .getAllByRole<HTMLButtonElement>('button')
    .filter(({ tabIndex, disabled, parentElement }) => tabIndex === 0 && !disabled && parentElement?.role === 'toolbar')
    .map(({ textContent }) => textContent);

describe('Toolbar', () => {
  const user = userEvent.setup();
  beforeEach(() => void (document.documentElement.dir = ''));
  afterEach(cleanup);

  it('is one stop, from which arrow keys, Home and End move', async () => {
    render(bar(['Bold', 'Italic', 'Link']));
    expect(stops()).toEqual(['Bold']);
    await user.tab();
    expect(focused()).toBe('Bold');
    await user.keyboard('{ArrowRight}');
    expect(focused()).toBe('Italic');
    await user.keyboard('{End}{ArrowRight}');
    expect(focused()).toBe('Bold');
    await user.keyboard('{ArrowLeft}');
    expect(focused()).toBe('Link');
    await user.keyboard('{Home}{ArrowRight}');
    expect(stops()).toEqual(['Italic']);
  });

  it('remembers its place, and gives it up when the button is disabled', () => {
    const { rerender } = render(bar(['Bold', 'Italic', 'Link']));
    screen.getByText('Link').focus();
    rerender(bar(['Bold', 'Italic', 'Link']));
    expect(stops()).toEqual(['Link']);
    rerender(bar(['Bold', 'Italic', 'Link'], 'Link'));
    expect(stops()).toEqual(['Bold']);
  });

  it('follows the direction of the language', async () => {
    document.documentElement.dir = 'rtl';
    render(bar(['Bold', 'Italic', 'Link']));
    await user.tab();
    await user.keyboard('{ArrowLeft}');
    expect(focused()).toBe('Italic');
  });

  it('leaves keys in its popovers alone', async () => {
    render(bar(['Bold', 'Italic']));
    screen.getByText('In a popover').focus();
    await user.keyboard('{ArrowRight}{Home}');
    expect(focused()).toBe('In a popover');
  });
});
