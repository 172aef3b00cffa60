import { Link } from '@tanstack/react-router';
import { currentMembership, currentSession } from '../data/session.js';
import { shellText } from '../messages/en/shell.js';
import { Icon } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';

/** The organization of the page, and the way to the user's others. */
export function OrganizationMenu() {
  const own = currentMembership();
  const { organizations = [] } = currentSession() ?? {};
  if (!own) return null;
  const head = (
    <>
      <span className="grid size-6 shrink-0 place-items-center rounded-md bg-accent text-xs font-semibold text-accent-ink">
        {own.name.trim().charAt(0).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1 truncate text-start font-semibold">{own.name}</span>
    </>
  );
  if (organizations.length < 2)
    return <div className="flex h-9 items-center gap-2.5 px-1.5 pe-10 md:pe-1.5">{head}</div>;
  return (
    <Popover
      buttonClassName="flex h-9 w-full items-center gap-2.5 rounded-md px-1.5 hover:bg-line/60"
      button={
        <>
          {head}
          <Icon name="chevronDown" size={14} className="text-soft" />
        </>
      }
    >
      {(close) => (
        <>
          <p className="px-2 py-1 text-xs text-soft">{shellText('organizations')}</p>
          {organizations.map(({ number, name }) => (
            <Link key={number} to={`/${number}`} onClick={close} className={menuItemClass}>
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {number === own.number && <Icon name="check" className="text-accent" />}
            </Link>
          ))}
        </>
      )}
    </Popover>
  );
}
