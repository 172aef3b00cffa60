import type { JSONContent } from '@tiptap/core';
import { useCallback, useState } from 'react';
import { campaignText } from '../messages/en/campaigns.js';
import { mayAct } from '../parts/own-role.js';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';
import { Callout } from '../ui/states.js';
import { useNarrow } from '../ui/use-narrow.js';
import { CampaignFrame } from './campaign-frame.js';
import type { Campaign } from './campaign-status.js';
import { CompareDrafts } from './compare-drafts.js';
import { draftOf } from './draft.js';
import type { Draft } from './draft.js';
import { MailEditor } from '../parts/mail/mail-editor.js';
import { MailPreview } from '../parts/mail/mail-preview.js';
import { PaneTabs } from '../parts/mail/pane-tabs.js';
import type { Pane } from '../parts/mail/pane-tabs.js';
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
  const [pane, setPane] = useState<Pane>('edit');
  const [isComparing, setComparing] = useState(false);
  // The editor keeps its own document, and starts again with one that was taken over.
  const [edition, setEdition] = useState(0);
  const isNarrow = useNarrow();
  const person = usePreviewPerson();
  const { state, base, save, resolve } = useAutosave(campaign, draft);
  const change = useCallback((part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part })), []);
  const compare = () => setComparing(true);
  return (
    <>
      {isNarrow && <PaneTabs pane={pane} onChange={setPane} />}
      <div className="grid min-w-0 grid-cols-1 items-start gap-x-8 gap-y-6 md:grid-cols-2">
        {(!isNarrow || pane === 'edit') && (
          <div className="flex min-w-0 flex-col gap-4">
            <SaveLine state={state} onRetry={save} />
            {state.kind === 'stale' && <StaleNotice onCompare={compare} />}
            <WriteFields draft={draft} onChange={change} />
            <Body key={edition} draft={draft} onChange={change} />
          </div>
        )}
        {(!isNarrow || pane === 'preview') && (
          <div className="min-w-0 md:sticky md:top-4">
            <MailPreview source={draft} person={person} />
          </div>
        )}
      </div>
      {state.kind === 'stale' && isComparing && (
        <CompareDrafts
          base={base()}
          mine={draft}
          theirs={state.theirs.draft}
          onClose={() => setComparing(false)}
          onChoose={(chosen) => {
            setComparing(false);
            setDraft(chosen);
            setEdition(edition + 1);
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

function Body({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  if (draft.contentType === 'MARKDOWN')
    return (
      <TextArea
        aria-label={campaignText('source')}
        value={typeof draft.content === 'string' ? draft.content : ''}
        onChange={({ target }) => onChange({ content: target.value })}
        rows={24}
        className="font-mono text-sm!"
      />
    );
  return (
    <MailEditor
      document={draft.content as JSONContent}
      // What came from Plate is stored as the same document once it is edited.
      onChange={(content) => onChange({ content, contentType: 'MAILY' })}
    />
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
          : campaignText('notDraft', { status: campaignText(`status.${status}`).toLowerCase() })}
      </Callout>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-soft">{campaignText('sender')}</dt>
        <dd className="wrap-anywhere">{sender ? `${sender.name} <${sender.email}>` : campaignText('sender.none')}</dd>
        {replyTo !== null && (
          <>
            <dt className="text-soft">{campaignText('replyTo')}</dt>
            <dd className="wrap-anywhere">{replyTo}</dd>
          </>
        )}
      </dl>
      <MailPreview source={draftOf(campaign)} person={person} />
    </div>
  );
}
