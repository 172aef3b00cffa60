import { Link, Outlet } from '@tanstack/react-router';
import { currentMembership, currentSession } from '../data/session.js';
import { installationText } from '../messages/en/installation.js';
import { shellText } from '../messages/en/shell.js';
import { EmptyState } from '../ui/states.js';
import { Icon } from '../ui/icon.js';

const tabs = [
  { to: '/installation', text: 'overview' },
  { to: '/installation/dead-letters', text: 'deadLetters' },
  { to: '/installation/organizations', text: 'organizations' },
] as const;

/** The frame around the operators' pages, which belong to no organization. */
export function InstallationFrame() {
  const own = currentMembership();
  if (currentSession()?.user.operator !== true)
    return <Refused title={installationText('denied.title')} lead={installationText('denied.lead')} />;
  if (!own) return <Refused title={installationText('noAdmin.title')} lead={installationText('noAdmin.lead')} />;
  return (
    <div className="h-dvh bg-ground p-2">
      <main className="mx-auto flex h-full max-w-7xl flex-col overflow-auto rounded-lg border border-line bg-paper">
        <nav
          aria-label={shellText('installation')}
          className="flex shrink-0 flex-wrap items-center gap-1 border-b border-line px-2 py-2 sm:px-6"
        >
          <Link
            to={`/${own.number}`}
            className="flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-md px-2 text-soft hover:bg-sunk hover:text-ink"
          >
            <Icon name="chevronLeft" className="shrink-0" />
            <span className="truncate">{own.name}</span>
          </Link>
          <span className="flex flex-wrap gap-1 sm:ms-auto">
            {tabs.map(({ to, text }) => (
              <Link
                key={to}
                to={to}
                search={{ organization: own.number }}
                activeOptions={{ exact: true, includeSearch: false }}
                className="flex h-8 items-center rounded-md px-2 font-medium text-soft hover:bg-sunk aria-[current=page]:bg-sunk aria-[current=page]:text-ink"
              >
                {installationText(text)}
              </Link>
            ))}
          </span>
        </nav>
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </main>
    </div>
  );
}

function Refused({ title, lead }: { title: string; lead: string }) {
  return (
    <main>
      <EmptyState
        isPage
        icon="key"
        title={title}
        action={
          <Link to="/" className="text-accent underline">
            {shellText('toHome')}
          </Link>
        }
      >
        {lead}
      </EmptyState>
    </main>
  );
}
