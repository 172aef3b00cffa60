import { useState } from 'react';

/** Reads the token of a link from the fragment, and takes it out of the address so that no history keeps it. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
