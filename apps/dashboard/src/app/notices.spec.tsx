/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import { notify } from '../data/notices.js';
import { Boundary } from '../ui/boundary.js';
import { Notices } from './notices.js';

function Broken(): never {
  throw new Error('It cannot be shown.');
}

describe('what lies over the page', () => {
  beforeEach(() => {
    // React reports what a boundary catches.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    HTMLElement.prototype.showPopover = () => undefined;
    HTMLElement.prototype.hidePopover = () => undefined;
  });
  afterEach(() => {
    cleanup();
    jest.restoreAllMocks();
  });

  it('shows the text of a notice that cannot be shown whole, and keeps the page', async () => {
    render(
      <>
        <p>{'The page'}</p>
        <Notices />
      </>,
    );
    // Without a router, its link fails.
    notify({ kind: 'approval', text: 'It waits for approval.', approvalId: 'apr_1' });
    expect((await screen.findAllByText('It waits for approval.')).length).toBeGreaterThan(0);
    expect(screen.queryByRole('link')).toBeNull();
    expect(screen.getByText('The page')).toBeTruthy();
  });

  it('tells of the failure once, so that a question is answered', () => {
    const failed = jest.fn();
    render(
      <Boundary onFail={failed} fallback="instead">
        <Broken />
      </Boundary>,
    );
    expect(screen.getByText('instead')).toBeTruthy();
    expect(failed).toHaveBeenCalledTimes(1);
  });
});
