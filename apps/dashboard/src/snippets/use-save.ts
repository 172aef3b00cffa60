import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { callTool } from '../data/call-tool.js';
import { notify } from '../data/notices.js';
import { Refusal } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { snippetText } from '../messages/en/snippets.js';
import { useGo } from '../parts/screen-link.js';
import { changesOf, differingKeys, draftOf } from './snippet.js';
import type { Snippet, SnippetDraft } from './snippet.js';

interface Version {
  draft: SnippetDraft;
  /** Undefined for a snippet that is not stored yet. */
  updatedAt: string | undefined;
}

const versionOf = (snippet: Snippet): Version => ({ draft: draftOf(snippet), updatedAt: snippet.updatedAt });

/**
 * Saves a snippet against the version that was read, and asks before unsaved changes are left.
 * @returns `theirs` is what another member saved meanwhile
 */
export function useSave(draft: SnippetDraft, start: SnippetDraft, known: Snippet | undefined) {
  const go = useGo();
  const create = useAction(actions.create_email_snippet());
  const update = useAction(actions.update_email_snippet());
  const [base, setBase] = useState<Version>({ draft: start, updatedAt: known?.updatedAt });
  const [theirs, setTheirs] = useState<Version | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isLeaving = useRef(false);
  const isDirty = differingKeys(base.draft, draft).length > 0;
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && !isLeaving.current && current.pathname !== next.pathname && !confirm(snippetText('leave')),
    enableBeforeUnload: () => isDirty,
  });

  const createNew = async () => {
    const { name, description, content } = draft;
    const { snippetId } = await create.run({ name, ...(description !== '' && { description }), content });
    isLeaving.current = true;
    notify({ kind: 'done', text: snippetText('created', { name }) });
    go({ screen: 'snippet', params: { snippetId }, replace: true });
  };
  const change = async (id: string, chosen: SnippetDraft, against: Version) => {
    const changes = changesOf(against.draft, chosen);
    const saved =
      Object.keys(changes).length === 0
        ? against
        : versionOf((await update.run({ id, ...changes }, { ifMatch: against.updatedAt! })).snippet);
    // What is shown stays as it was typed, so that the editor keeps its place.
    setBase({ draft: chosen, updatedAt: saved.updatedAt });
    setTheirs(null);
    notify({ kind: 'done', text: snippetText('saved', { name: chosen.name }) });
  };
  const save = async (chosen = draft, against = base) => {
    setError(null);
    try {
      await (known ? change(known.id, chosen, against) : createNew());
    } catch (failure) {
      if (!(failure instanceof Refusal && failure.reason === 'EXPECTED_UPDATED_AT_STALE')) return setError(failure);
      const { snippet } = await callTool('get_email_snippet', { id: known!.id });
      setTheirs(versionOf(snippet));
    }
  };
  return {
    save: (chosen?: SnippetDraft, against?: Version) => void save(chosen, against).catch(setError),
    isSaving: create.isPending || update.isPending,
    isDirty,
    base,
    theirs,
    error,
    setError,
  };
}
