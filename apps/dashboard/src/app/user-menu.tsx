import { lazy, Suspense } from 'react';
import { currentSession } from '../data/session.js';
import { Popover } from '../ui/popover.js';

const Content = lazy(async () => ({ default: (await import('./user-menu-content.js')).UserMenuContent }));

/** Who is signed in, their account, how the pages look, and the way out. */
export function UserMenu({ onHelp }: { onHelp: () => void }) {
  const user = currentSession()?.user;
  if (!user) return null;
  return (
    <Popover
      above
      buttonClassName="flex h-9 min-w-0 flex-1 items-center gap-2.5 rounded-md px-1.5 hover:bg-line/60"
      button={
        <>
          <span className="grid size-6 shrink-0 place-items-center rounded-full border border-line bg-paper text-xs font-medium">
            {user.name.trim().charAt(0).toUpperCase()}
          </span>
          <span className="truncate">{user.name}</span>
        </>
      }
    >
      {(close) => (
        <Suspense fallback={null}>
          <Content close={close} onHelp={onHelp} />
        </Suspense>
      )}
    </Popover>
  );
}
