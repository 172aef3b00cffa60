import { Link } from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { currentMembership, currentSession } from '../data/session.js';
import type { Role } from '../data/session.js';
import { shellText } from '../messages/en/shell.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';

/** A page below an organization may fail without taking the frame along. */
export function FailedScreen({ error, reset }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-2xl p-8">
      <h1 className="mb-3 text-lg font-semibold">{shellText('failed')}</h1>
      <ErrorNotice error={error} onRetry={reset} />
    </div>
  );
}

export function NotFound() {
  return (
    <EmptyState
      isPage
      icon="search"
      title={shellText('notFound')}
      action={
        <Link to="/" className={buttonClass()}>
          {shellText('toHome')}
        </Link>
      }
    >
      {shellText('notFoundLead')}
    </EmptyState>
  );
}

/** The same outside of an organization, where it is all of the document. */
export function NoSuchPage() {
  return (
    <main>
      <NotFound />
    </main>
  );
}

export function NoOrganization() {
  return (
    <main>
      <EmptyState isPage icon="people" title={shellText('product')}>
        {shellText('noOrganization')}
      </EmptyState>
    </main>
  );
}

/** The address names an organization of which the user is no member. */
export function NotMember({ number }: { number: string }) {
  const { organizations = [] } = currentSession() ?? {};
  return (
    <main>
      <EmptyState
        isPage
        icon="people"
        title={shellText('otherOrganization', { number })}
        action={organizations.map((one) => (
          <Link key={one.number} to={`/${one.number}`} className={buttonClass()}>
            {shellText('toOwn', { name: one.name })}
          </Link>
        ))}
      />
    </main>
  );
}

export function RoleTooLow({ role }: { role: Role }) {
  const own = currentMembership();
  return (
    <EmptyState isPage icon="key" title={shellText('needsRole', { role: shellText(`role.${role}`) })}>
      {own && shellText('needsRoleLead', { own: shellText(`role.${own.role}`), organization: own.name })}
    </EmptyState>
  );
}
