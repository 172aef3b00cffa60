import type { JSONContent } from '@tiptap/core';
import { useCallback, useState } from 'react';
import type { FormEvent } from 'react';
import { commonText } from '../messages/en/common.js';
import { snippetText } from '../messages/en/snippets.js';
import { MailEditor } from '../parts/mail/mail-editor.js';
import { MailPreview } from '../parts/mail/mail-preview.js';
import { PaneTabs } from '../parts/mail/pane-tabs.js';
import type { Pane } from '../parts/mail/pane-tabs.js';
import { usePreviewPerson } from '../parts/mail/use-preview-person.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { Button } from '../ui/button.js';
import { Badge } from '../ui/states.js';
import { useNarrow } from '../ui/use-narrow.js';
import { CompareSnippets } from './compare-snippets.js';
import { SnippetActions } from './snippet-actions.js';
import { SnippetFields } from './snippet-fields.js';
import { SnippetNotices } from './snippet-notices.js';
import { sourceOf } from './snippet-source.js';
import { SnippetUses } from './snippet-uses.js';
import type { Snippet, SnippetDraft } from './snippet.js';
import { useSave } from './use-save.js';

const formId = 'snippet';

/** Writes a snippet beside its preview; viewers see both without changing them. */
export function SnippetEditor({
  start,
  known,
  usedBy = [],
}: {
  start: SnippetDraft;
  /** The stored snippet as it is now; none for a new one. */
  known?: Snippet;
  usedBy?: readonly string[];
}) {
  const [draft, setDraft] = useState(start);
  const [pane, setPane] = useState<Pane>('edit');
  const [isComparing, setComparing] = useState(false);
  // The editor keeps its own document, and starts again with one that was taken over.
  const [edition, setEdition] = useState(0);
  const isNarrow = useNarrow();
  const person = usePreviewPerson();
  const saving = useSave(draft, start, known);
  const { theirs } = saving;
  const mayEdit = mayAct('editor');
  const change = useCallback((part: Partial<SnippetDraft>) => setDraft((old) => ({ ...old, ...part })), []);
  const choose = (chosen: SnippetDraft) => {
    setComparing(false);
    setDraft(chosen);
    setEdition(edition + 1);
    saving.save(chosen, theirs!);
  };
  return (
    <Page
      title={known?.name ?? snippetText('new')}
      heading={known && <Heading snippet={known} />}
      actions={mayEdit && <Actions known={known} saving={saving} />}
    >
      {isNarrow && <PaneTabs pane={pane} onChange={setPane} />}
      <div className="grid min-w-0 grid-cols-1 items-start gap-x-8 gap-y-6 md:grid-cols-2">
        {(!isNarrow || pane === 'edit') && (
          <div className="flex min-w-0 flex-col gap-4">
            <SnippetNotices
              isArchived={known?.archived === true}
              isStale={theirs !== null}
              error={saving.error}
              onCompare={() => setComparing(true)}
            />
            {/* The editor has a form of its own, for links. */}
            <form
              id={formId}
              className="flex flex-col gap-4"
              onSubmit={(event: FormEvent) => {
                event.preventDefault();
                saving.save();
              }}
            >
              <SnippetFields draft={draft} known={known} error={saving.error} readOnly={!mayEdit} onChange={change} />
            </form>
            {mayEdit && (
              <MailEditor
                key={edition}
                isPart
                label={snippetText('content')}
                document={draft.content as JSONContent}
                onChange={(content) => change({ content })}
              />
            )}
            {known && <SnippetUses usedBy={usedBy} />}
          </div>
        )}
        {(!isNarrow || pane === 'preview') && (
          <div className="min-w-0 md:sticky md:top-4">
            <MailPreview source={sourceOf(draft.content)} person={person} />
          </div>
        )}
      </div>
      {theirs && isComparing && (
        <CompareSnippets
          base={saving.base.draft}
          mine={draft}
          theirs={theirs.draft}
          busy={saving.isSaving}
          onClose={() => setComparing(false)}
          onChoose={choose}
        />
      )}
    </Page>
  );
}

function Heading({ snippet: { name, archived } }: { snippet: Snippet }) {
  return (
    <span className="flex flex-wrap items-center gap-2.5">
      {name}
      {archived && <Badge>{snippetText('archived')}</Badge>}
    </span>
  );
}

function Actions({ known, saving }: { known: Snippet | undefined; saving: ReturnType<typeof useSave> }) {
  return (
    <>
      <Button
        type="submit"
        form={formId}
        look="primary"
        busy={saving.isSaving}
        disabled={known !== undefined && !saving.isDirty}
      >
        {known ? commonText('save') : snippetText('create')}
      </Button>
      {known && <SnippetActions snippet={known} onRefused={saving.setError} />}
    </>
  );
}
