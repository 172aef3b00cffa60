/** A step of a draft. What its config may hold depends on its type (`get_step_schemas`). */
export type FlowStep = {
  id: string;
  type: string;
  name?: string | undefined;
  config: Record<string, unknown>;
};

export type FlowEdge = {
  source: string;
  target: string;
  branch?: string | undefined;
};

/** The graph of a workflow, which outline and canvas both show and change. */
export interface FlowGraph {
  steps: readonly FlowStep[];
  edges: readonly FlowEdge[];
}
