import type { Issue } from '#contracts';
import type { SecretBox } from '#link-token';
import type { Graph, Step, WebhookConfig } from '../rules/graph/graph.js';
import { aboutStep } from '../rules/graph/read-graph.js';

/** Shown in place of a hidden value; written back, it keeps the stored value. */
export const hiddenValue = '***';

/** The workflow that a seal is bound to, by wire ids. */
export interface SecretScope {
  organizationId: string;
  workflowId: string;
}

type Secrets = Pick<OpenConfig, 'secret' | 'headers'>;
/** A WEBHOOK step's config with its secrets in plain. */
export type OpenConfig = Omit<WebhookConfig, 'secret'> & { secret?: string | undefined };

/**
 * Seals the secret and the header values of WEBHOOK steps for drafts and versions. Each seal is bound to organization,
 * workflow and step, so that a draft's seal can be copied into a version and works nowhere else.
 */
export class WebhookSecrets {
  constructor(private readonly box: SecretBox) {}

  /** Returns the graph with sealed secrets, as it is stored; sealed ones stay. */
  seal(owner: SecretScope, graph: Graph): Graph {
    return withWebhooks(graph, (step, { secret, headers, ...rest }) => {
      if (typeof secret === 'object') return { ...rest, secret };
      if (secret === undefined && Object.keys(headers ?? {}).length === 0) return step.config as WebhookConfig;
      const sealed = this.box.seal(JSON.stringify({ secret, headers }), boundTo(owner, step.id)).toString('base64');
      return { ...rest, secret: { sealed: `${this.box.keyId}.${sealed}` } };
    });
  }

  open(owner: SecretScope, graph: Graph): Graph {
    return withWebhooks(graph, (step, config) => this.openConfig(owner, step.id, config));
  }

  /** Throws an Error if the master key is another one, or the seal belongs to another workflow or step. */
  openConfig(owner: SecretScope, stepId: string, { secret, ...config }: WebhookConfig): OpenConfig {
    if (typeof secret !== 'object') return { ...config, ...(secret !== undefined && { secret }) };
    const [keyId, sealed] = secret.sealed.split('.') as [string, string];
    if (keyId !== this.box.keyId)
      throw new Error(
        `The secret of step ${stepId} is sealed under another MASTER_KEY (${keyId}, not ${this.box.keyId}).`,
      );
    const opened = this.box.open(Buffer.from(sealed, 'base64'), boundTo(owner, stepId));
    return { ...config, ...(JSON.parse(opened) as Secrets) };
  }
}

export const hideSecrets = (graph: Graph): Graph =>
  withWebhooks(graph, (_step, { secret, headers, ...config }) => ({
    ...config,
    ...(secret !== undefined && { secret: hiddenValue }),
    ...(headers && { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, hiddenValue])) }),
  }));

/**
 * Replaces each `***` of a given graph by the value that its step had in `formers`, opened graphs, the nearest first.
 * Names of headers are compared without case; a `***` without a former value is an issue.
 */
export function keepSecrets(graph: Graph, formers: readonly Graph[]): { graph: Graph; issues: Issue[] } {
  const issues: Issue[] = [];
  const kept = withWebhooks(graph, (step, config) => {
    const before = formers.flatMap(({ steps }) => steps.flatMap((one) => (one.id === step.id && secretsOf(one)) || []));
    const keep = (value: string, path: string[], find: (former: Secrets) => string | undefined): string => {
      if (value !== hiddenValue) return value;
      const former = before.map(find).find((one) => one !== undefined);
      if (former !== undefined) return former;
      const what = path.length > 1 ? `header ${path[1]}` : 'secret';
      const message = `${aboutStep(step)}: "${hiddenValue}" keeps a former value, and this step has no ${what}; give the value itself`;
      issues.push({ path: ['steps', graph.steps.indexOf(step), 'config', ...path], message });
      return value;
    };
    const { secret, headers } = config as OpenConfig;
    return {
      ...config,
      ...(secret !== undefined && { secret: keep(secret, ['secret'], (former) => former.secret) }),
      ...(headers && {
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [
            name,
            keep(value, ['headers', name], (former) => headerOf(former, name)),
          ]),
        ),
      }),
    };
  });
  return { graph: kept, issues };
}

const secretsOf = (step: Step): Secrets | null =>
  step.type === 'ACTION' && step.config.kind === 'WEBHOOK' ? (step.config as OpenConfig) : null;

const headerOf = ({ headers = {} }: Secrets, name: string): string | undefined =>
  Object.entries(headers).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];

const boundTo = ({ organizationId, workflowId }: SecretScope, stepId: string): string =>
  `${organizationId}\n${workflowId}\n${stepId}`;

function withWebhooks(graph: Graph, change: (step: Step, config: WebhookConfig) => WebhookConfig): Graph {
  const steps = graph.steps.map((step): Step => {
    if (step.type !== 'ACTION' || step.config.kind !== 'WEBHOOK') return step;
    return { ...step, config: change(step, step.config) };
  });
  return { ...graph, steps };
}
