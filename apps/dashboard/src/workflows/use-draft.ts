import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { callTool } from '../data/call-tool.js';
import { Refusal } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { buildText } from '../messages/en/workflow-build.js';
import { adopted, storedOf, wireGraph } from './draft.js';
import type { StoredDraft } from './draft.js';
import { ChangedElsewhere, DraftSaver, GraphInvalid } from './draft-saver.js';
import type { SaveState } from './draft-saver.js';
import type { FlowGraph } from './flow-graph.js';
import { useHistory } from './use-history.js';
import { useUndo } from './use-undo.js';
import type { Workflow } from './workflow-status.js';

/** The draft of a workflow while it is changed: saved by itself, with undo and redo. */
export function useDraft(workflow: Workflow) {
  const [start] = useState(() => storedOf(workflow));
  const edits = useHistory(() => start.graph);
  const { history, change, tell } = edits;
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: null });
  const write = useWrite(workflow.id);
  const writeRef = useRef(write);
  const [saver] = useState(
    () =>
      new DraftSaver(start, {
        write: async (graph, saved) => await writeRef.current(graph, saved),
        read: async () => storedOf((await callTool('get_workflow', { workflowId: workflow.id })).workflow),
        adopt: (stored) => tell({ kind: 'map', take: (graph) => adopted(graph, stored) }),
        report: setState,
      }),
  );
  const { present } = history;
  useEffect(() => {
    writeRef.current = write;
    saver.change(present);
  });
  useEffect(() => () => void saver.flush(), [saver]);
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await saver.flush()) && !confirm(buildText('leave')),
    enableBeforeUnload: () => saver.isUnsaved,
  });
  const undoing = useUndo(edits);
  return {
    graph: present,
    change,
    ...undoing,
    state,
    saved: saver.saved,
    save: async () => await saver.flush(),
    resolve: (graph: FlowGraph, theirs: StoredDraft) => {
      tell({ kind: 'reset', state: graph });
      void saver.resolve(graph, theirs);
    },
  };
}

export type DraftEdit = ReturnType<typeof useDraft>;

function useWrite(workflowId: string) {
  const configure = useAction(actions.configure_workflow_draft());
  return async (graph: FlowGraph, saved: StoredDraft): Promise<StoredDraft> => {
    try {
      const { workflow } = await configure.run({
        workflowId,
        expectedUpdatedAt: saved.updatedAt,
        ...wireGraph(graph, saved),
      });
      return storedOf(workflow);
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'EXPECTED_UPDATED_AT_STALE') throw new ChangedElsewhere();
      if (error instanceof Refusal && error.reason === 'GRAPH_INVALID') throw new GraphInvalid();
      throw error;
    }
  };
}
