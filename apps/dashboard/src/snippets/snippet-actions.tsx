import { notify } from '../data/notices.js';
import { approvalOf, isDeclined } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { snippetText } from '../messages/en/snippets.js';
import { RowMenu } from '../parts/row-menu.js';
import { useGo } from '../parts/screen-link.js';
import type { Snippet } from './snippet.js';

/** What can be done with a stored snippet beside saving it. */
export function SnippetActions({ snippet, onRefused }: { snippet: Snippet; onRefused: (error: unknown) => void }) {
  const { id, name, archived } = snippet;
  const go = useGo();
  const archive = useAction(actions.archive_email_snippet());
  const unarchive = useAction(actions.unarchive_email_snippet());
  const attempt = (work: () => Promise<void>) =>
    void work().catch((error: unknown) => {
      if (!isDeclined(error) && !approvalOf(error)) onRefused(error);
    });
  const putAway = async () => {
    await archive.run({ id }, { button: snippetText('archive.button') });
    notify({
      kind: 'done',
      text: snippetText('archive.done', { name }),
      undo: async () => void (await unarchive.run({ id })),
    });
    go({ screen: 'snippets' });
  };
  const restore = async () => {
    await unarchive.run({ id });
    notify({ kind: 'done', text: snippetText('unarchive.done', { name }) });
  };
  return (
    <RowMenu
      label={snippetText('more')}
      items={[
        archived
          ? { text: snippetText('unarchive'), icon: 'upload', onClick: () => attempt(restore) }
          : { text: snippetText('archive'), icon: 'trash', isDanger: true, onClick: () => attempt(putAway) },
      ]}
    />
  );
}
