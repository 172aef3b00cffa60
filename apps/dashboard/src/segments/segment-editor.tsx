import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { notify } from '../data/notices.js';
import { issuesByField, Refusal } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { segmentText } from '../messages/en/segments.js';
import { commonText } from '../messages/en/common.js';
import { FilterBuilder } from '../parts/filter/filter-builder.js';
import { FilterCount } from '../parts/filter/filter-count.js';
import type { Filter } from '../parts/filter/filter.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { useGo } from '../parts/screen-link.js';
import { RefusalNotice } from '../parts/used-by.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { Callout } from '../ui/states.js';
import type { Segment } from './segment.js';
import { SegmentActions } from './segment-actions.js';
import { useSentence } from '../parts/filter/use-sentence.js';

interface Draft {
  name: string;
  filters: Filter[];
}

const formId = 'segment';

/** Name and filters of a segment, with the sentence that they make and who matches now. */
export function SegmentEditor({
  start,
  known,
  onFilters,
}: {
  start: Draft;
  /** The stored segment as it is now; none for a new one. */
  known?: Segment;
  onFilters?: (filters: Filter[]) => void;
}) {
  const [draft, setDraft] = useState<Draft>({ name: start.name, filters: start.filters });
  const [saveError, setSaveError] = useState<unknown>(null);
  const { isSaving, isStale, isDirty, save, takeTheirs } = useSave({ draft, setDraft, known, start, setSaveError });
  const sentence = useSentence();
  const mayEdit = mayAct('editor');
  const fault = issuesByField(saveError, ['name']).byField.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  return (
    <Page
      title={known?.name ?? segmentText('new')}
      actions={
        mayEdit && (
          <>
            <Button
              type="submit"
              form={formId}
              look="primary"
              busy={isSaving}
              disabled={!isDirty && known !== undefined}
            >
              {commonText('save')}
            </Button>
            {known && <SegmentActions segment={known} onRefused={setSaveError} />}
          </>
        )
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-6 lg:flex-row lg:items-start">
        <div className="flex min-w-0 flex-1 flex-col gap-5">
          {isStale && known ? (
            <Stale theirs={known} sentence={sentence(known.filters)} onTheirs={takeTheirs} onMine={() => void save()} />
          ) : (
            saveError !== null && fault === undefined && <RefusalNotice error={saveError} />
          )}
          <Field label={segmentText('name')} fault={fault}>
            {(control) => (
              <TextInput
                {...control}
                required
                maxLength={255}
                disabled={!mayEdit}
                placeholder={segmentText('namePlaceholder')}
                value={draft.name}
                onChange={({ target }) => setDraft({ ...draft, name: target.value })}
              />
            )}
          </Field>
          <section aria-label={segmentText('filters')}>
            <h2 className="mb-2 text-sm font-medium">{segmentText('filters')}</h2>
            <fieldset disabled={!mayEdit} className="min-w-0">
              <FilterBuilder
                filters={draft.filters}
                onChange={(filters) => {
                  setDraft({ ...draft, filters });
                  onFilters?.(filters);
                }}
              />
            </fieldset>
          </section>
        </div>
        <aside className="flex flex-col gap-4 rounded-lg border border-line p-4 lg:w-64 lg:shrink-0">
          <section>
            <h2 className="text-sm font-medium text-soft">{segmentText('sentence')}</h2>
            <p className="mt-1 text-pretty wrap-anywhere">{sentence(draft.filters)}</p>
          </section>
          <section>
            <h2 className="mb-1 text-sm font-medium text-soft">{segmentText('now')}</h2>
            <FilterCount filters={draft.filters} />
          </section>
        </aside>
      </form>
    </Page>
  );
}

/** Someone else saved the segment since it was read here. */
function Stale({
  theirs,
  sentence,
  onTheirs,
  onMine,
}: {
  theirs: Segment;
  sentence: string;
  onTheirs: () => void;
  onMine: () => void;
}) {
  return (
    <Callout tone="warn">
      <p>{segmentText('stale.lead', { name: theirs.name, sentence })}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button small onClick={onTheirs}>
          {segmentText('stale.theirs')}
        </Button>
        <Button small onClick={onMine}>
          {segmentText('stale.mine')}
        </Button>
      </div>
    </Callout>
  );
}

/** Saves the draft against the version that was read, and asks before unsaved changes are left. */
function useSave({
  draft,
  setDraft,
  known,
  start,
  setSaveError,
}: {
  draft: Draft;
  setDraft: (draft: Draft) => void;
  known: Segment | undefined;
  start: Draft;
  setSaveError: (error: unknown) => void;
}) {
  const go = useGo();
  const create = useAction(actions.create_segment());
  const update = useAction(actions.update_segment());
  // The version that the draft began with.
  const [base, setBase] = useState({ name: start.name, filters: start.filters, updatedAt: known?.updatedAt });
  const [isStale, setStale] = useState(false);
  const isLeaving = useRef(false);
  const isDirty = draft.name !== base.name || JSON.stringify(draft.filters) !== JSON.stringify(base.filters);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && !isLeaving.current && current.pathname !== next.pathname && !confirm(segmentText('leave')),
    enableBeforeUnload: () => isDirty,
  });
  const rebase = (segment: Segment) => {
    setBase({ name: segment.name, filters: segment.filters, updatedAt: segment.updatedAt });
    setStale(false);
    setSaveError(null);
  };
  const save = async () => {
    const { name, filters } = draft;
    try {
      if (known) {
        // After a comparison the person knows the newer version, and replaces it.
        const ifMatch = isStale ? known.updatedAt : base.updatedAt;
        const { segment } = await update.run(
          { segmentId: known.id, name, filters },
          ifMatch === undefined ? {} : { ifMatch },
        );
        setDraft({ name: segment.name, filters: segment.filters });
        rebase(segment);
        notify({ kind: 'done', text: segmentText('saved', { name }) });
      } else {
        const { segmentId } = await create.run({ name, filters });
        isLeaving.current = true;
        notify({ kind: 'done', text: segmentText('created', { name }) });
        go({ screen: 'segment', params: { segmentId }, replace: true });
      }
    } catch (error) {
      setStale(error instanceof Refusal && error.reason === 'EXPECTED_UPDATED_AT_STALE');
      setSaveError(error);
    }
  };
  const takeTheirs = () => {
    if (!known) return;
    setDraft({ name: known.name, filters: known.filters });
    rebase(known);
  };
  return { isSaving: create.isPending || update.isPending, isStale, isDirty, save, takeTheirs };
}
