import { useCallback, useState } from 'react';
import { campaignText } from '../messages/en/campaigns.js';
import { mailText } from '../messages/en/mail.js';
import { mayAct } from '../parts/own-role.js';
import { Button } from '../ui/button.js';
import { Callout } from '../ui/states.js';
import { CampaignFrame } from './campaign-frame.js';
import type { Campaign } from './campaign-status.js';
import { CompareDrafts } from './compare-drafts.js';
import { draftOf } from './draft.js';
import type { Draft } from './draft.js';
import { MailPreview } from '../parts/mail/mail-preview.js';
import { MailWorkspace } from '../parts/mail/mail-workspace.js';
import { usePreviewPerson } from '../parts/mail/use-preview-person.js';
import { SaveLine } from './save-line.js';
import { useAutosave } from './use-autosave.js';
import { WriteFields } from './write-fields.js';

/** Writes a draft beside its preview; campaigns in other states are shown only. */
export function CampaignWritePage() {
  return (
    <CampaignFrame>
      {(campaign) =>
        campaign.status === 'DRAFT' && mayAct('editor') ? (
          <Writing key={campaign.id} campaign={campaign} />
        ) : (
          <Reading campaign={campaign} />
        )
      }
    </CampaignFrame>
  );
}

function Writing({ campaign: read }: { campaign: Campaign }) {
  // Reads that follow own saves must not touch what is being typed.
  const [campaign] = useState(read);
  const [draft, setDraft] = useState(() => draftOf(campaign));
  const [isComparing, setComparing] = useState(false);
  const person = usePreviewPerson();
  const { state, base, save, resolve } = useAutosave(campaign, draft);
  const change = useCallback((part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part })), []);
  const compare = () => setComparing(true);
  return (
    <>
      <MailWorkspace mail={draft} person={person} onBody={change}>
        <SaveLine state={state} onRetry={save} />
        {state.kind === 'stale' && <StaleNotice onCompare={compare} />}
        <WriteFields draft={draft} onChange={change} />
      </MailWorkspace>
      {state.kind === 'stale' && isComparing && (
        <CompareDrafts
          base={base()}
          mine={draft}
          theirs={state.theirs.draft}
          onClose={() => setComparing(false)}
          onChoose={(chosen) => {
            setComparing(false);
            setDraft(chosen);
            resolve(chosen, state.theirs);
          }}
        />
      )}
    </>
  );
}

/** Saving has stopped until both versions are compared. */
function StaleNotice({ onCompare }: { onCompare: () => void }) {
  return (
    <Callout
      tone="warn"
      action={
        <Button small onClick={onCompare}>
          {campaignText('stale.compare')}
        </Button>
      }
    >
      <span role="alert">{campaignText('stale.title')}</span>
    </Callout>
  );
}

function Reading({ campaign }: { campaign: Campaign }) {
  const { sender, replyTo, status } = campaign;
  const person = usePreviewPerson();
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-4">
      <Callout tone="plain">
        {status === 'DRAFT'
          ? campaignText('readOnly')
          : campaignText('notDraft', { status: campaignText(`status.${status}`) })}
      </Callout>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-soft">{mailText('sender')}</dt>
        <dd className="wrap-anywhere">{sender ? `${sender.name} <${sender.email}>` : mailText('sender.none')}</dd>
        {replyTo !== null && (
          <>
            <dt className="text-soft">{mailText('replyTo')}</dt>
            <dd className="wrap-anywhere">{replyTo}</dd>
          </>
        )}
      </dl>
      <MailPreview source={draftOf(campaign)} person={person} />
    </div>
  );
}
