import { useState } from 'react';
import { notify } from '../data/notices.js';
import { approvalOf, isDeclined } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { reasonText } from '../messages/en/api-words.js';
import { commonText } from '../messages/en/common.js';
import { runText } from '../messages/en/workflow-runs.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { FilterBuilder } from '../parts/filter/filter-builder.js';
import type { Filter } from '../parts/filter/filter.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Choice, Field } from '../ui/field.js';

/** Adds the subscribers that match filters, after a dry run has counted them. */
export function EnrolDialog({
  workflowId,
  steps,
  onClose,
}: {
  workflowId: string;
  /** Steps of the published version at which a run may begin. */
  steps: readonly { id: string; title: string }[];
  onClose: () => void;
}) {
  const { filters, setFilters, stepId, setStepId, matched, check, enrol, error, isBusy } = useEnrolment(
    workflowId,
    onClose,
  );
  return (
    <Dialog
      wide
      title={runText('enrol.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('cancel')}</Button>
          {matched === null ? (
            <Button look="primary" busy={isBusy} onClick={() => void check()}>
              {runText('enrol.check')}
            </Button>
          ) : (
            <Button look="primary" busy={isBusy} disabled={matched === 0} onClick={() => void enrol()}>
              {runText('enrol.button', { count: matched })}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNotice error={error} />}
        <section aria-label={runText('enrol.who')}>
          <h3 className="mb-1.5 text-sm font-medium">{runText('enrol.who')}</h3>
          <FilterBuilder filters={filters} onChange={setFilters} />
        </section>
        <Field label={runText('enrol.step')}>
          {(control) => (
            <Choice
              {...control}
              value={stepId}
              options={[
                { value: '', label: runText('enrol.start') },
                ...steps.map(({ id, title }) => ({ value: id, label: title })),
              ]}
              onChange={({ target }) => setStepId(target.value)}
            />
          )}
        </Field>
        <p role="status" className="text-soft">
          {matched !== null && (
            <>
              <span className="font-medium text-ink tabular">{runText('enrol.matched', { count: matched })}</span>{' '}
              {runText('enrol.rules')}
            </>
          )}
        </p>
      </div>
    </Dialog>
  );
}

function useEnrolment(workflowId: string, onClose: () => void) {
  const [filters, set] = useState<Filter[]>([]);
  const [stepId, setStep] = useState('');
  const [matched, setMatched] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const add = useAction(actions.add_subscribers_to_workflow());
  const input = { workflowId, filters, ...(stepId !== '' && { stepId }) };
  const run = async (dryRun: boolean) => {
    setError(null);
    try {
      return await add.run({ ...input, ...(dryRun && { dryRun }) });
    } catch (refusal) {
      if (isDeclined(refusal) || approvalOf(refusal)) onClose();
      else setError(refusal);
      return null;
    }
  };
  return {
    filters,
    // What was counted no longer holds.
    setFilters: (next: Filter[]) => {
      set(next);
      setMatched(null);
    },
    stepId,
    setStepId: (next: string) => {
      setStep(next);
      setMatched(null);
    },
    matched,
    check: async () => setMatched((await run(true))?.matched ?? null),
    enrol: async () => {
      const done = await run(false);
      if (!done) return;
      const skipped = (done.skipped ?? []).map(({ reason, count }) =>
        runText('enrol.skipped', { count, reason: reasonText(reason) }),
      );
      const first =
        done.enrolled === undefined ? runText('enrol.running') : runText('enrol.done', { count: done.enrolled });
      notify({ kind: 'done', text: [first, ...skipped].join(' ') });
      onClose();
    },
    error,
    isBusy: add.isPending,
  };
}
