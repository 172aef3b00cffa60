import { organizationText } from '../messages/en/organization.js';
import { CompareDialog } from '../parts/compare-dialog.js';
import { settingKeys } from './settings.js';
import type { Organization, SettingKey, Settings } from './settings.js';

const words = (value: Settings[SettingKey] | undefined): string =>
  typeof value === 'boolean'
    ? organizationText(value ? 'yes' : 'no')
    : value === null || value === undefined || value === ''
      ? organizationText('none')
      : String(value);

/** Their version beside mine: for each setting that I changed, one of both is saved. */
export function StaleDialog({
  mine,
  theirs,
  busy,
  onClose,
  onSave,
}: {
  mine: Partial<Settings>;
  theirs: Organization;
  busy: boolean;
  onClose: () => void;
  onSave: (chosen: Partial<Settings>) => void;
}) {
  const keys = settingKeys.filter((key) => key in mine);
  return (
    <CompareDialog
      title={organizationText('stale.title')}
      parts={keys.map((key) => ({
        key,
        label: organizationText(key),
        theirs: words(theirs[key]),
        mine: words(mine[key]),
      }))}
      busy={busy}
      onClose={onClose}
      onSave={(sides) =>
        onSave(
          Object.fromEntries(
            keys.filter((key) => sides[key] === 'mine' && mine[key] !== theirs[key]).map((key) => [key, mine[key]]),
          ),
        )
      }
    />
  );
}
