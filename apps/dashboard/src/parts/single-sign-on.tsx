import { use } from 'react';
import { callSession } from '../data/session.js';
import { ssoText } from '../messages/en/single-sign-on.js';
import { buttonClass } from '../ui/button.js';

/** How users of this installation sign in. */
export interface SignInOptions {
  /** The identity provider; null without one. */
  oidc: { host: string } | null;
  passwords: boolean;
}

let options: Promise<SignInOptions> | null = null;

/** Suspends until the answer is there; without one there are passwords. */
export const useSignInOptions = (): SignInOptions =>
  use((options ??= callSession<SignInOptions>('GET', '/options').catch(() => ({ oidc: null, passwords: true }))));

/**
 * Leads to the identity provider, and from there to a page of this server.
 * @param again the user of this session proves again who they are
 * @param newTab keeps this page with what was typed
 * @param onLeave called before the page is left
 */
export function SingleSignOnLink({
  host,
  next,
  again = false,
  newTab = false,
  onLeave,
}: {
  host: string;
  next: string;
  again?: boolean;
  newTab?: boolean;
  onLeave?: () => void;
}) {
  const query = new URLSearchParams({ next, ...(again && { again: '1' }) });
  return (
    <div>
      <a
        href={`/api/session/oidc?${query.toString()}`}
        onClick={onLeave}
        {...(newTab && { target: '_blank', rel: 'noopener' })}
        className={`${buttonClass()} h-9! w-full`}
      >
        {ssoText('button')}
      </a>
      <p className="mt-1.5 text-center text-sm text-soft">
        {ssoText('at', { host })} {newTab && ssoText('newTab')}
      </p>
    </div>
  );
}
