import { Link } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { currentSession, onSession } from '../data/session.js';
import type { Membership } from '../data/session.js';
import { factorText } from '../messages/en/factors.js';
import { buttonClass } from '../ui/button.js';
import { Callout } from '../ui/states.js';

/** What organizations require that the user has not set up yet, and the way to the others. */
export function FactorDuty() {
  const { organizations = [], user } = useSyncExternalStore(onSession, currentSession) ?? {};
  const lacksFactor = ({ requireSecondFactor }: Membership) => requireSecondFactor === true && !user?.secondFactor;
  const requiring = organizations.filter(lacksFactor);
  if (requiring.length === 0) return null;
  const others = organizations.filter((one) => !lacksFactor(one));
  return (
    <Callout tone="warn">
      <p>{factorText('duty', { organization: requiring.map(({ name }) => name).join(', ') })}</p>
      {others.length > 0 && (
        <p className="mt-2 flex flex-wrap gap-2">
          {others.map(({ number, name }) => (
            <Link key={number} to={`/${number}`} className={buttonClass('plain', true)}>
              {name}
            </Link>
          ))}
        </p>
      )}
    </Callout>
  );
}
