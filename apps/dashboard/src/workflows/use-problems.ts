import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { buildText } from '../messages/en/workflow-build.js';
import { useSettled } from '../parts/use-settled.js';
import { wireGraph } from './draft.js';
import type { StoredDraft } from './draft.js';
import type { FlowGraph } from './flow-graph.js';
import { branchWord } from './step-labels.js';

export interface Problem {
  stepId: string | null;
  /** The field of the step's config; null for the step or the graph as a whole. */
  field: string | null;
  message: string;
}

export interface Problems {
  /** Null until the graph as it is now was checked. */
  isChecked: boolean;
  problems: readonly Problem[];
  warnings: readonly Problem[];
  error: Error | null;
}

const settledMs = 500;

const openBranches = /^missing branch: none of (.+) leads on$/;

/** A problem as its step shows it; that of branches which lead nowhere, which each new condition has, in words of its own. */
function wordsOf(message: string): string {
  const own = bare(message);
  const branches = openBranches.exec(own)?.[1];
  return branches === undefined
    ? own
    : buildText('problem.branches', { branches: branches.split(', ').map(branchWord).join(', ') });
}

/** "step "pause" (WAIT): …" at its step need not say which step it is. */
const bare = (message: string): string => message.replace(/^step "[^"]*" \([A-Z_]+\): /, '');

/** What stands against saving or publishing a graph, by step and field, checked while it is changed. */
export function useProblems(workflowId: string, graph: FlowGraph, saved: StoredDraft): Problems {
  const settled = useSettled(graph, settledMs);
  const { data, error, isPlaceholderData } = useQuery({
    ...queries.validate_workflow_draft({ workflowId, ...wireGraph(settled, saved) }),
    gcTime: 60_000,
  });
  return {
    isChecked: data !== undefined && !isPlaceholderData && settled === graph,
    problems: (data?.issues ?? []).map(({ stepId, path, message }) => ({
      stepId,
      field: path[0] === 'steps' && path[2] === 'config' && path[3] !== undefined ? String(path[3]) : null,
      message: wordsOf(message),
    })),
    warnings: (data?.warnings ?? []).map(({ stepId, message }) => ({ stepId, field: null, message: bare(message) })),
    error,
  };
}
