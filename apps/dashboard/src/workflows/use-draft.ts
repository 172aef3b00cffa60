import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../data/announcements.js';
import { callTool } from '../data/call-tool.js';
import { Refusal } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { buildText } from '../messages/en/workflow-build.js';
import { isTyping } from '../parts/page-keys.js';
import { storedOf, wireGraph } from './draft.js';
import type { StoredDraft } from './draft.js';
import { ChangedElsewhere, DraftSaver, GraphInvalid } from './draft-saver.js';
import type { SaveState } from './draft-saver.js';
import type { FlowGraph } from './flow-graph.js';
import { useHistory } from './use-history.js';
import type { Workflow } from './workflow-status.js';

/** The draft of a workflow while it is changed: saved by itself, with undo and redo. */
export function useDraft(workflow: Workflow) {
  const [start] = useState(() => storedOf(workflow));
  const { history, change, tell } = useHistory(() => start.graph);
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: null });
  const write = useWrite(workflow.id);
  const writeRef = useRef(write);
  const [saver] = useState(
    () =>
      new DraftSaver(start, {
        write: async (graph, saved) => await writeRef.current(graph, saved),
        read: async () => storedOf((await callTool('get_workflow', { workflowId: workflow.id })).workflow),
        adopt: (graph) => tell({ kind: 'adopt', graph }),
        report: setState,
      }),
  );
  const { present, past, future } = history;
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
  const undo = () => {
    if (past.length > 0) announce(buildText('undone'));
    tell({ kind: 'undo' });
  };
  const redo = () => {
    if (future.length > 0) announce(buildText('redone'));
    tell({ kind: 'redo' });
  };
  useUndoKeys(undo, redo);
  return {
    graph: present,
    change,
    undo,
    redo,
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    state,
    saved: saver.saved,
    save: async () => await saver.flush(),
    resolve: (graph: FlowGraph, theirs: StoredDraft) => {
      tell({ kind: 'reset', graph });
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

/** Mod+Z undoes, Mod+Shift+Z and Mod+Y redo; fields keep the keys of the platform. */
function useUndoKeys(undo: () => void, redo: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) redo();
      else undo();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
