import type { FlowEdge, FlowGraph, FlowStep } from './flow-graph.js';
import type { Workflow } from './workflow-status.js';

type Email = Workflow['emails'][number];

/** The config of a mail with its text in it, so that undo restores what was written. */
const inlineOf = ({ subject, preview, content, contentType, senderId, replyTo }: Email): Record<string, unknown> => ({
  subject,
  ...(preview !== null && { preview }),
  content,
  contentType,
  ...(senderId !== null && { senderId }),
  ...(replyTo !== null && { replyTo }),
});

const stepOf = ({ id, type, name, config = {} }: Workflow['draft']['steps'][number], emails: readonly Email[]) => {
  const email = type === 'EMAIL' ? emails.find(({ stepId }) => stepId === id) : undefined;
  return { id, type, ...(name !== undefined && { name }), config: email ? inlineOf(email) : config };
};
const edgeOf = ({ source, target, branch }: Workflow['draft']['edges'][number]): FlowEdge => ({
  source,
  target,
  ...(branch != null && { branch }),
});

/** The draft of a workflow, each mail with its text. */
export const draftGraph = ({ draft, emails }: Workflow): FlowGraph => ({
  steps: draft.steps.map((step): FlowStep => stepOf(step, emails)),
  edges: draft.edges.map(edgeOf),
});

/** The graph of a version as it is stored. */
export const graphOf = ({ steps, edges }: Pick<Workflow['draft'], 'steps' | 'edges'>): FlowGraph => ({
  steps: steps.map((step): FlowStep => stepOf(step, [])),
  edges: edges.map(edgeOf),
});

/** The published version as it is stored; null before the first. */
export const publishedGraph = ({ published }: Workflow): FlowGraph | null => published && graphOf(published);

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** A stored draft: its graph with texts, and the ids of its mails by step. */
export interface StoredDraft {
  graph: FlowGraph;
  updatedAt: string;
  emailIds: Readonly<Record<string, string>>;
}

export const storedOf = (workflow: Workflow): StoredDraft => ({
  graph: draftGraph(workflow),
  updatedAt: workflow.updatedAt,
  emailIds: Object.fromEntries(workflow.emails.map(({ stepId, campaignId }) => [stepId, campaignId])),
});

/** A graph as the API takes it: a mail that is stored as it is here goes by its id. */
export function wireGraph({ steps, edges }: FlowGraph, { graph, emailIds }: StoredDraft) {
  const stored = new Map(graph.steps.map((step) => [step.id, step]));
  const configOf = ({ id, type, config }: FlowStep) =>
    type === 'EMAIL' && emailIds[id] !== undefined && isSame(config, stored.get(id)?.config)
      ? { campaignId: emailIds[id] }
      : config;
  return { steps: steps.map((step) => ({ ...step, config: configOf(step) })), edges: [...edges] };
}

/** The graph with the texts of mails that it took from a campaign by id. */
export function adopted(graph: FlowGraph, stored: FlowGraph): FlowGraph {
  const isCopied = ({ type, config }: FlowStep) => type === 'EMAIL' && config.campaignId !== undefined;
  if (!graph.steps.some(isCopied)) return graph;
  const steps = graph.steps.map((step) => {
    const copy = isCopied(step) ? stored.steps.find(({ id }) => id === step.id) : undefined;
    return copy ? { ...step, config: copy.config } : step;
  });
  return { ...graph, steps };
}

/** A version's graph with the subjects that its mails have in the draft: the version itself does not return them. */
export function withMails(graph: FlowGraph, { emails }: Workflow): FlowGraph {
  const subjects = new Map(emails.map(({ stepId, subject }) => [stepId, subject]));
  const steps = graph.steps.map((step) => {
    const subject = step.type === 'EMAIL' ? subjects.get(step.id) : undefined;
    return subject === undefined ? step : { ...step, config: { ...step.config, subject } };
  });
  return { ...graph, steps };
}
