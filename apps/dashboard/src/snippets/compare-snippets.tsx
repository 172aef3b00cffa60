import type { ReactNode } from 'react';
import { snippetText } from '../messages/en/snippets.js';
import { CompareDialog } from '../parts/compare-dialog.js';
import type { Side } from '../parts/compare-dialog.js';
import { MailPreview } from '../parts/mail/mail-preview.js';
import { comparedKeys, mergeDrafts } from './snippet.js';
import type { SnippetDraft, SnippetKey } from './snippet.js';
import { sourceOf } from './snippet-source.js';

/** What another member saved beside what is typed here; each part is taken from one of both. */
export function CompareSnippets({
  base,
  mine,
  theirs,
  busy,
  onClose,
  onChoose,
}: {
  /** The version that both began with. */
  base: SnippetDraft;
  mine: SnippetDraft;
  theirs: SnippetDraft;
  busy: boolean;
  onClose: () => void;
  onChoose: (draft: SnippetDraft) => void;
}) {
  const valueOf = (draft: SnippetDraft, key: SnippetKey): ReactNode => {
    if (key === 'content') return <MailPreview source={sourceOf(draft.content)} />;
    return draft[key].trim() === '' ? snippetText('stale.empty') : draft[key];
  };
  return (
    <CompareDialog
      title={snippetText('stale.title')}
      busy={busy}
      parts={comparedKeys(base, mine, theirs).map(({ key, side }) => ({
        key,
        side,
        label: snippetText(key),
        theirs: valueOf(theirs, key),
        mine: valueOf(mine, key),
      }))}
      onClose={onClose}
      onSave={(sides: Record<SnippetKey, Side>) => onChoose(mergeDrafts(mine, theirs, sides))}
    />
  );
}
