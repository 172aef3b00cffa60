import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { reportToTabs } from '../data/other-tabs.js';
import { Refusal } from '../data/refusal.js';
import { reportFailure } from '../data/report-failure.js';
import { callSession, currentMembership, currentSession } from '../data/session.js';
import { chosenLanguage, keepLanguage, languages } from '../messages/language.js';
import type { Language } from '../messages/language.js';
import { shellText } from '../messages/en/shell.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon.js';
import { menuItemClass } from '../ui/popover.js';
import { chooseScheme, chosenScheme } from './scheme.js';
import type { Scheme } from './scheme.js';

const schemes: readonly { scheme: Scheme; icon: IconName }[] = [
  { scheme: 'system', icon: 'screen' },
  { scheme: 'light', icon: 'sun' },
  { scheme: 'dark', icon: 'moon' },
];

/** The account, how the pages look and speak, and the way out. */
export function UserMenuContent({ close, onHelp }: { close: () => void; onHelp: () => void }) {
  const user = currentSession()?.user;
  const role = currentMembership()?.role;
  if (!user) return null;
  return (
    <>
      <div className="border-b border-line px-2 pt-1 pb-2">
        <p className="truncate font-medium">{user.name}</p>
        <p className="truncate text-sm text-soft">
          {user.email}
          {role && ` · ${shellText(`role.${role}`)}`}
        </p>
      </div>
      <SchemeChoice />
      <LanguageChoice />
      <Entry to="/account/profile" icon="user" text={shellText('profile')} onGo={close} />
      <Entry to="/account/security" icon="key" text={shellText('security')} onGo={close} />
      <Entry to="/account/sessions" icon="screen" text={shellText('sessions')} onGo={close} />
      {user.operator && <Entry to="/installation" icon="pulse" text={shellText('installation')} onGo={close} />}
      <button
        type="button"
        className={menuItemClass}
        onClick={() => {
          close();
          onHelp();
        }}
      >
        <Icon name="info" className="text-soft" />
        {shellText('help')}
      </button>
      <button
        type="button"
        className={menuItemClass}
        onClick={() => {
          close();
          void signOut();
        }}
      >
        <Icon name="signOut" className="text-soft" />
        {shellText('signOut')}
      </button>
    </>
  );
}

function Entry({ to, icon, text, onGo }: { to: string; icon: IconName; text: string; onGo: () => void }) {
  return (
    <Link to={to} onClick={onGo} className={menuItemClass}>
      <Icon name={icon} className="text-soft" />
      {text}
    </Link>
  );
}

function SchemeChoice() {
  const [chosen, setChosen] = useState(chosenScheme);
  return (
    <div role="group" aria-label={shellText('scheme')} className="my-1 grid grid-cols-3 gap-1 rounded-md bg-sunk p-0.5">
      {schemes.map(({ scheme, icon }) => (
        <button
          key={scheme}
          type="button"
          aria-pressed={scheme === chosen}
          onClick={() => {
            chooseScheme(scheme);
            setChosen(scheme);
          }}
          className={classNames(
            'flex items-center justify-center gap-1.5 rounded-sm px-2 py-1 text-sm',
            scheme === chosen ? 'bg-paper font-medium shadow-sm' : 'text-soft hover:text-ink',
          )}
        >
          <Icon name={icon} size={14} />
          {shellText(`scheme.${scheme}`)}
        </button>
      ))}
    </div>
  );
}

function LanguageChoice() {
  return (
    <select
      aria-label={shellText('language')}
      defaultValue={chosenLanguage()}
      onChange={({ target }) => keepLanguage(target.value as Language)}
      className="mb-1 h-8 w-full rounded-md border border-edge bg-paper px-2 text-sm"
    >
      {Object.entries(languages).map(([name, own]) => (
        <option key={name} value={name} lang={name}>
          {own}
        </option>
      ))}
    </select>
  );
}

/** Ends the session, and leaves nothing of it in this page and other tabs; where it goes on, says so and stays. */
async function signOut(): Promise<void> {
  try {
    await callSession('DELETE', '');
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) return reportFailure(error);
  }
  reportToTabs({ kind: 'signedOut' });
  location.assign('/sign-in');
}
