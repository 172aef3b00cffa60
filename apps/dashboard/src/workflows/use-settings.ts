import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../data/notices.js';
import { Refusal } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { settingsText } from '../messages/en/workflow-runs.js';
import { useSettled } from '../parts/use-settled.js';
import { isSame } from './draft.js';
import { useHistory } from './use-history.js';
import { useUndo } from './use-undo.js';
import { faultsBelow, readSettings, settingsInput } from './workflow-settings.js';
import type { Settings } from './workflow-settings.js';
import type { Workflow } from './workflow-status.js';

const settledMs = 500;

/** The settings and goals of a draft while they are changed: saved by a button, with undo, checked at each change. */
export function useSettings(workflow: Workflow, mayEdit: boolean) {
  const [base, setBase] = useState(workflow);
  const edits = useHistory(() => readSettings(workflow));
  const settings = edits.history.present;
  const configure = useAction(actions.configure_workflow_draft());
  const isStale = configure.error instanceof Refusal && configure.error.reason === 'EXPECTED_UPDATED_AT_STALE';
  // The graph is sent as it was read: a draft is saved as a whole.
  const { steps, edges } = workflow.draft;
  const settled = useSettled(settings, settledMs);
  const checked = useQuery({
    ...queries.validate_workflow_draft({ workflowId: workflow.id, steps, edges, ...settingsInput(settled) }),
    enabled: mayEdit,
    gcTime: 60_000,
  });
  const issues = (checked.data?.issues ?? []).filter(({ path: [top] }) => top === 'settings' || top === 'successGoals');
  return {
    settings,
    /** @param about changes about the same are one step of undo */
    change: (part: Partial<Settings>, about: string | null) => edits.change({ ...settings, ...part }, about),
    undo: useUndo(edits),
    faults: (...below: (string | number)[]) => faultsBelow(issues, ...below),
    isValid: issues.length === 0,
    error: configure.error,
    isStale,
    isBusy: configure.isPending,
    isDirty: !isSame(settingsInput(settings), settingsInput(readSettings(base))),
    takeTheirs: () => {
      configure.reset();
      setBase(workflow);
      edits.tell({ kind: 'reset', state: readSettings(workflow) });
    },
    save: async () => {
      const saved = await configure.run({
        workflowId: workflow.id,
        expectedUpdatedAt: isStale ? workflow.updatedAt : base.updatedAt,
        steps,
        edges,
        ...settingsInput(settings),
      });
      setBase(saved.workflow);
      notify({ kind: 'done', text: settingsText('saved') });
    },
  };
}

export type SettingsEdit = ReturnType<typeof useSettings>;
