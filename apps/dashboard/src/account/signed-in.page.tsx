import { useEffect } from 'react';
import { reportOnce } from '../data/other-tabs.js';
import { ssoText } from '../messages/en/single-sign-on.js';
import { SignedOutFrame } from './signed-out-frame.js';

/** The end of a sign-in that another tab waits for. */
export function SignedInPage() {
  useEffect(() => reportOnce({ kind: 'signedIn' }), []);
  return (
    <SignedOutFrame title={ssoText('signedIn.title')} lead={ssoText('signedIn.lead')}>
      {null}
    </SignedOutFrame>
  );
}
