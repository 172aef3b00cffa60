import { useState } from 'react';

const kept = 'tidings.link-token';

/** Reads the token of a link from the fragment, and takes it out of the address so that no history keeps it. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1) || (sessionStorage.getItem(kept) ?? ''));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  sessionStorage.removeItem(kept);
  return token;
}

/** Keeps a token in this tab for the next page that reads one: a sign-in elsewhere leads back without the fragment. */
export const keepLinkToken = (token: string): void => sessionStorage.setItem(kept, token);
