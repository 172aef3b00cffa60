import { useState } from 'react';
import { notify } from '../data/notices.js';
import { issuesByField, Refusal } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { organizationText } from '../messages/en/organization.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { SettingsFields } from './settings-fields.js';
import { changesOf, settingKeys } from './settings.js';
import type { Organization, Settings } from './settings.js';
import { StaleDialog } from './stale-dialog.js';

/**
 * The settings as a form. It saves what was changed against the version that was read; where another person saved
 * meanwhile, both versions are compared.
 */
export function SettingsForm({
  loaded,
  readOnly,
  isOwner,
  reload,
}: {
  loaded: Organization;
  readOnly: boolean;
  isOwner: boolean;
  reload: () => Promise<Organization | undefined>;
}) {
  const update = useAction(actions.update_organization());
  const [base, setBase] = useState(loaded);
  const [draft, setDraft] = useState<Partial<Settings>>({});
  const [theirs, setTheirs] = useState<Organization | null>(null);
  const changes = changesOf(draft, base);
  const hasChanges = Object.keys(changes).length > 0;
  const { byField, rest } = issuesByField(update.error, settingKeys);
  const isStale = update.error instanceof Refusal && update.error.code === 'STALE_UPDATE';
  const save = async (input: Partial<Settings>, against: Organization) => {
    try {
      const { organization } =
        Object.keys(input).length > 0
          ? await update.run(input, { ifMatch: against.updatedAt })
          : { organization: against };
      setBase(organization);
      setDraft({});
      setTheirs(null);
      notify({ kind: 'done', text: organizationText('saved') });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'STALE_UPDATE') setTheirs((await reload()) ?? null);
    }
  };
  return (
    <form
      className="flex flex-col gap-9"
      onSubmit={(event) => {
        event.preventDefault();
        void save(changes, base);
      }}
    >
      <SettingsFields
        values={{ ...base, ...draft }}
        faults={byField}
        readOnly={readOnly}
        isOwner={isOwner}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
      {update.error && !isStale && (Object.keys(byField).length === 0 || rest.length > 0) && (
        <ErrorNotice error={update.error} />
      )}
      {!readOnly && (
        <div className="sticky bottom-0 -mx-1 flex gap-2 border-t border-line bg-paper px-1 py-3">
          <Button look="primary" type="submit" busy={update.isPending} disabled={!hasChanges}>
            {commonText('save')}
          </Button>
          {hasChanges && (
            <Button look="quiet" onClick={() => setDraft({})}>
              {organizationText('unsaved')}
            </Button>
          )}
        </div>
      )}
      {theirs && (
        <StaleDialog
          mine={changes}
          theirs={theirs}
          busy={update.isPending}
          onClose={() => setTheirs(null)}
          onSave={(chosen) => void save(chosen, theirs)}
        />
      )}
    </form>
  );
}
