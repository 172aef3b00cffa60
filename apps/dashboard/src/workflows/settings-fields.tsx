import { settingsText } from '../messages/en/workflow-runs.js';
import { weekday } from '../messages/format-calendar.js';
import { Check, Choice, Field, TextInput } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { WeekdaysField, week } from './config-form.js';
import { isSame } from './draft.js';
import type { SettingsEdit } from './use-settings.js';
import { reentries } from './workflow-settings.js';
import type { SendWindow, Settings } from './workflow-settings.js';

export interface PublishedSettings {
  version: number;
  settings: Settings;
}

interface Props {
  edit: SettingsEdit;
  published: PublishedSettings | null;
  isDisabled: boolean;
}

const zones = Intl.supportedValuesOf('timeZone');

/** Re-entry, unsubscribing, send window and time zone of a draft, each with its published value where that differs. */
export function SettingsFields({ edit, published, isDisabled }: Props) {
  const { settings, change, faults } = edit;
  const own = faults('settings');
  return (
    <>
      <div>
        <Field label={settingsText('reentry')} fault={own.reentry}>
          {(control) => (
            <Choice
              {...control}
              disabled={isDisabled}
              value={settings.reentry}
              options={reentries.map((value) => ({ value, label: settingsText(`reentry.${value}`) }))}
              onChange={({ target }) => change({ reentry: target.value as Settings['reentry'] }, null)}
            />
          )}
        </Field>
        <Before of="reentry" {...{ settings, published }} words={({ reentry }) => settingsText(`reentry.${reentry}`)} />
      </div>
      <div>
        <Check
          label={settingsText('exit')}
          hint={settingsText('exit.hint')}
          disabled={isDisabled}
          checked={settings.exitOnUnsubscribe}
          onChange={({ target }) => change({ exitOnUnsubscribe: target.checked }, null)}
        />
        <Before
          of="exitOnUnsubscribe"
          {...{ settings, published }}
          words={({ exitOnUnsubscribe }) => settingsText(exitOnUnsubscribe ? 'on' : 'off')}
        />
      </div>
      <div>
        <SendWindowFields
          sendWindow={settings.sendWindow}
          faults={faults('settings', 'sendWindow')}
          isDisabled={isDisabled}
          onChange={(sendWindow, about) => change({ sendWindow }, about)}
        />
        <Before of="sendWindow" {...{ settings, published }} words={({ sendWindow }) => windowWords(sendWindow)} />
      </div>
      <div>
        <Field label={settingsText('timezone')} hint={settingsText('timezone.hint')} fault={own.timezone}>
          {(control) => (
            <Choice
              {...control}
              disabled={isDisabled}
              value={settings.timezone}
              options={[
                { value: '', label: settingsText('timezone.organization') },
                ...[...new Set([settings.timezone, ...zones])]
                  .filter((zone) => zone !== '')
                  .map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
              ]}
              onChange={({ target }) => change({ timezone: target.value }, null)}
            />
          )}
        </Field>
        {/* A version names the organization's zone of its time where the draft names none. */}
        {settings.timezone !== '' && (
          <Before
            of="timezone"
            {...{ settings, published }}
            words={({ timezone }) => timezone || settingsText('timezone.organization')}
          />
        )}
      </div>
    </>
  );
}

function windowWords(sendWindow: SendWindow | null): string {
  if (sendWindow === null) return settingsText('window.none');
  const { from, to, weekdays } = sendWindow;
  const days = (weekdays ?? []).map((day) => weekday(week[day - 1]!)).join(', ');
  return days === '' ? settingsText('window.times', { from, to }) : settingsText('window.days', { from, to, days });
}

/** The value of the published version, where it is another. */
function Before({
  of,
  settings,
  published,
  words,
}: {
  of: keyof Settings;
  settings: Settings;
  published: PublishedSettings | null;
  words: (settings: Settings) => string;
}) {
  if (!published || isSame(published.settings[of], settings[of])) return null;
  return <BeforeLine version={published.version} value={words(published.settings)} />;
}

/** What a version holds of something that the draft changes. */
export function BeforeLine({ version, value }: { version: number; value: string }) {
  return (
    <p className="mt-1.5 flex gap-1.5 text-sm text-info" dir="auto">
      <Icon name="info" className="mt-0.5 shrink-0" />
      {settingsText('before', { version, value })}
    </p>
  );
}

function SendWindowFields({
  sendWindow,
  faults,
  isDisabled,
  onChange,
}: {
  sendWindow: SendWindow | null;
  faults: Readonly<Record<string, string>>;
  isDisabled: boolean;
  onChange: (sendWindow: SendWindow | null, about: string | null) => void;
}) {
  return (
    <div>
      <Check
        label={settingsText('window')}
        hint={settingsText('window.hint')}
        disabled={isDisabled}
        checked={sendWindow !== null}
        onChange={({ target }) => onChange(target.checked ? { from: '09:00', to: '18:00' } : null, null)}
      />
      {sendWindow && (
        <fieldset disabled={isDisabled} className="mt-3 ms-6 flex min-w-0 flex-col gap-3">
          <legend className="sr-only">{settingsText('window')}</legend>
          <div className="grid max-w-80 grid-cols-2 gap-3">
            {(['from', 'to'] as const).map((name) => (
              <Field key={name} label={settingsText(`window.${name}`)} fault={faults[name]}>
                {(control) => (
                  <TextInput
                    {...control}
                    type="time"
                    required
                    value={sendWindow[name]}
                    onChange={({ target }) => onChange({ ...sendWindow, [name]: target.value }, `window/${name}`)}
                  />
                )}
              </Field>
            ))}
          </div>
          <WeekdaysField
            days={sendWindow.weekdays ?? []}
            onChange={(weekdays) => {
              const { weekdays: _old, ...times } = sendWindow;
              onChange(weekdays === undefined ? times : { ...times, weekdays }, null);
            }}
          />
        </fieldset>
      )}
    </div>
  );
}
