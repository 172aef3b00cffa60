import { useRouterState } from '@tanstack/react-router';
import { currentMembership } from '../data/session.js';
import { screenText, shellText } from '../messages/en/shell.js';
import { isAtLeast } from '../parts/screen.js';
import { addressOf, ScreenLink } from '../parts/screen-link.js';
import type { ScreenTarget } from '../parts/screen-link.js';
import type { ScreenName } from '../parts/screen-paths.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { Kbd } from '../ui/states.js';
import type { IconName } from '../ui/icon.js';
import { LiveStatus } from './live-status.js';
import { navigation, settingsScreens } from './navigation.js';
import { OrganizationMenu } from './organization-menu.js';
import { screens } from './screens.js';
import { UserMenu } from './user-menu.js';

const paletteKey = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** Whether a screen is there for the role of the user. */
export function isOffered(name: ScreenName): boolean {
  const own = currentMembership();
  return screens.some((screen) => screen.name === name && own !== null && isAtLeast(own.role, screen.role ?? 'viewer'));
}

export function Sidebar({ onGo, onHelp, onPalette }: { onGo?: () => void; onHelp: () => void; onPalette: () => void }) {
  return (
    <div className="flex h-full flex-col gap-1 p-2">
      <OrganizationMenu />
      <button
        type="button"
        onClick={onPalette}
        className="mt-1 flex h-8 items-center gap-2.5 rounded-md border border-line bg-paper px-2 text-soft hover:border-edge/60 hover:text-ink"
      >
        <Icon name="search" />
        <span className="min-w-0 flex-1 truncate text-start">{shellText('search')}</span>
        <Kbd>{paletteKey}</Kbd>
      </button>
      <div className="min-h-0 flex-1 overflow-auto pt-2">
        {navigation.map(({ title, items }) => {
          const offered = items.filter(({ screen }) => isOffered(screen));
          if (offered.length === 0) return null;
          return (
            <div key={title ?? ''} className="mb-4">
              {title && <h2 className="px-2 pb-1 text-xs font-medium text-soft">{shellText(title)}</h2>}
              <ul className="flex flex-col gap-px">
                {offered.map(({ screen, icon }) => (
                  <li key={screen}>
                    <Item screen={screen} icon={icon} {...(onGo && { onGo })} />
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      <Settings {...(onGo && { onGo })} />
      <div className="flex items-center gap-1 pt-1">
        <UserMenu onHelp={onHelp} />
        <LiveStatus />
      </div>
    </div>
  );
}

/** The way to the settings; inside them, all their pages. */
function Settings({ onGo }: { onGo?: () => void }) {
  const isInside = useRouterState({ select: ({ location }) => location.pathname.includes('/settings/') });
  const offered = settingsScreens.filter(isOffered);
  if (offered.length === 0) return null;
  if (!isInside)
    return (
      <Item
        screen={offered[0]!}
        icon="settings"
        label={shellText('settings')}
        under="/settings"
        {...(onGo && { onGo })}
      />
    );
  return (
    <div className="max-h-[50%] overflow-auto border-t border-line pt-2">
      <h2 className="px-2 pb-1 text-xs font-medium text-soft">{shellText('settings')}</h2>
      <ul className="flex flex-col gap-px">
        {offered.map((screen) => (
          <li key={screen}>
            <Item screen={screen} {...(onGo && { onGo })} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Item({
  screen,
  icon,
  label = screenText(screen),
  under,
  onGo,
}: {
  screen: ScreenName;
  icon?: IconName;
  label?: string;
  /** The part of the addresses for which this line stands, where it is more than its own. */
  under?: string;
  onGo?: () => void;
}) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const own = addressOf({ screen } as ScreenTarget);
  const isHere =
    under === undefined
      ? path === own || (screen !== 'home' && path.startsWith(`${own}/`))
      : path.includes(`${under}/`);
  return (
    <ScreenLink
      {...({ screen } as ScreenTarget)}
      aria-current={isHere ? 'page' : undefined}
      {...(onGo && { onClick: onGo })}
      className={classNames(
        'flex h-8 items-center gap-2.5 rounded-md px-2 font-medium transition-colors hover:bg-line/60',
        isHere ? 'bg-line/70 text-ink' : 'text-soft',
      )}
    >
      {icon && <Icon name={icon} className={isHere ? 'text-accent' : ''} />}
      <span className="truncate">{label}</span>
    </ScreenLink>
  );
}
