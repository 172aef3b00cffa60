import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import { graphOf, publishedGraph, withMails } from './draft.js';
import { titlesOf } from './step-words.js';
import type { Workflow } from './workflow-status.js';

/** A version never changes. */
const staleTime = Infinity;

/** Titles of the steps as they are in one version; ids until an older version is read. */
export function useVersionTitles(workflow: Workflow, version: number): (id: string) => string {
  const sentence = useSentence();
  const { id: workflowId, published } = workflow;
  const isLive = version === published?.version;
  const { data } = useQuery({
    ...queries.get_workflow_flow({ workflowId, version }),
    enabled: !isLive,
    staleTime,
    select: ({ graph }) => graph ?? null,
  });
  const graph = isLive ? publishedGraph(workflow) : data ? graphOf(data) : null;
  return graph ? titlesOf(withMails(graph, workflow), sentence) : (id) => id;
}
