import { useQuery } from '@tanstack/react-query';
import { callSession } from '../data/session.js';
import { ssoText } from '../messages/en/single-sign-on.js';
import { buttonClass } from '../ui/button.js';

/** How users of this installation sign in. */
export interface SignInOptions {
  /** The identity provider; null without one. */
  oidc: { host: string } | null;
  passwords: boolean;
}

/** Undefined until the answer is there. */
export function useSignInOptions(): SignInOptions | undefined {
  return useQuery({
    queryKey: [null, 'sign-in options'],
    queryFn: () => callSession<SignInOptions>('GET', '/options'),
    staleTime: Infinity,
  }).data;
}

/**
 * Leads to the identity provider, and from there to a page of this server.
 * @param again the user of this session proves again who they are
 * @param newTab keeps this page with what was typed
 */
export function SingleSignOnLink({
  host,
  next,
  again = false,
  newTab = false,
}: {
  host: string;
  next: string;
  again?: boolean;
  newTab?: boolean;
}) {
  const query = new URLSearchParams({ next, ...(again && { again: '1' }) });
  return (
    <div>
      <a
        href={`/api/session/oidc?${query.toString()}`}
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
