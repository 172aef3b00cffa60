import { Link, Outlet } from '@tanstack/react-router';
import { currentSession } from '../data/session.js';
import { shellText } from '../messages/en/shell.js';
import { Icon } from '../ui/icon.js';
import { lastOrganization } from './last-organization.js';

const tabs = [
  { to: '/account/profile', text: 'profile' },
  { to: '/account/security', text: 'security' },
  { to: '/account/sessions', text: 'sessions' },
] as const;

/** The frame around the pages of the user's own account. */
export function AccountFrame() {
  const { organizations = [] } = currentSession() ?? {};
  const back = organizations.find(({ number }) => number === lastOrganization(organizations));
  return (
    <div className="min-h-dvh bg-ground p-2">
      <main className="mx-auto min-h-[calc(100dvh-1rem)] max-w-3xl rounded-lg border border-line bg-paper">
        <nav
          aria-label={shellText('account')}
          className="flex flex-wrap items-center gap-1 border-b border-line px-2 py-2 sm:px-6"
        >
          {back && (
            <Link
              to={`/${back.number}`}
              className="flex h-8 items-center gap-1.5 rounded-md px-2 text-soft hover:bg-sunk hover:text-ink"
            >
              <Icon name="chevronLeft" />
              {back.name}
            </Link>
          )}
          <span className="ms-auto flex flex-wrap gap-1">
            {tabs.map(({ to, text }) => (
              <Link
                key={to}
                to={to}
                className="flex h-8 items-center rounded-md px-2 font-medium text-soft hover:bg-sunk aria-[current=page]:bg-sunk aria-[current=page]:text-ink"
              >
                {shellText(text)}
              </Link>
            ))}
          </span>
        </nav>
        <Outlet />
      </main>
    </div>
  );
}
