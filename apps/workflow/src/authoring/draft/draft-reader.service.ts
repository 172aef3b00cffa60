import type { ServiceBus } from '#bus';
import type { Issue } from '#contracts';
import { newId } from '#database';
import type { Sql } from '#database';
import type { PublicFetcher } from '#public-fetch';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { emptyDraft, placed, readDraft } from '../../rules/draft/draft.js';
import type { Draft, GivenDraft, Places } from '../../rules/draft/draft.js';
import { destinationsOf, destinationWarnings, webhookWarnings } from '../../rules/draft/target-workflows.js';
import { aboutStep } from '../../rules/graph/read-graph.js';
import type { GraphWarning } from '../../rules/graph/read-graph.js';
import { publishedStatus } from '../../rules/workflow.js';
import type { Workflow } from '../../rules/workflow.js';
import { keepSecrets } from '../../secret/webhook-secrets.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { EmailComposer } from '../email/email-composer.service.js';
import type { WorkflowEmail } from '../../rules/email.js';
import { EmailRepository } from '../email/email.repository.js';
import { DraftChecker } from './draft-checker.service.js';

interface Dependencies {
  sql: Sql;
  bus: ServiceBus;
  /** Decides which addresses webhooks may call. */
  fetcher: PublicFetcher;
  secrets: WebhookSecrets;
}

/** A draft as given, read by every rule of saving; its paths are those of the caller's lists. */
export interface CheckedDraft {
  draft: Draft;
  places: Places;
  emails: WorkflowEmail[];
  issues: Issue[];
  warnings: GraphWarning[];
}

/** Reads and checks whole drafts, without saving anything; never inside a transaction. */
export class DraftReader {
  readonly #workflows: WorkflowRepository;
  readonly #emails: EmailRepository;

  constructor(private readonly parts: Dependencies) {
    this.#workflows = new WorkflowRepository(parts.sql);
    this.#emails = new EmailRepository(parts.sql);
  }

  /** Checks a draft by the rules of saving. @param workflow the workflow it replaces the draft of; null for a new one */
  async read(
    given: GivenDraft,
    { workflowId = newId('wf'), workflow }: { workflowId?: string; workflow: Workflow | null },
    caller: Caller,
  ): Promise<CheckedDraft> {
    const { organizationId } = caller;
    const { bus, fetcher, secrets } = this.parts;
    const before = workflow?.draft ?? emptyDraft();
    const { draft, places, issues, warnings } = readDraft(given, before);
    const live = workflow && (await this.#workflows.findVersion(organizationId, workflowId, workflow.publishedVersion));
    const owner = { organizationId, workflowId };
    const formers = [before, ...(live ? [live] : [])].map(({ graph }) => secrets.open(owner, graph));
    const kept = keepSecrets(draft.graph, formers);
    draft.graph = kept.graph;
    const checker = new DraftChecker({ bus, workflows: this.#workflows, emails: this.#emails });
    const checked = await checker.check(draft, caller);
    const composed = await new EmailComposer({ bus, emails: this.#emails }).collect(workflowId, draft.graph, caller);
    const known = new Set(issues.map(({ path }) => JSON.stringify(path)));
    const found = [...kept.issues, ...checked.issues, ...composed.issues].map((issue) => placed(issue, places));
    const destinations = await this.#workflows.listDestinations(organizationId, destinationsOf(draft.graph));
    return {
      draft,
      places,
      emails: composed.emails,
      issues: [...issues, ...found.filter(({ path }) => !known.has(JSON.stringify(path)))],
      warnings: [
        ...warnings,
        ...destinationWarnings(draft.graph, destinations, workflowId),
        ...webhookWarnings(draft.graph, (url) => fetcher.problemOf(url)),
        ...checked.warnings,
        ...composed.warnings,
      ],
    };
  }

  /** Lists what publishing would refuse of a draft that could be saved: the status, and senders that cannot send. */
  async listPublishIssues(
    { draft, places, emails }: CheckedDraft,
    workflow: Workflow | null,
    caller: Caller,
  ): Promise<Issue[]> {
    const composer = new EmailComposer({ bus: this.parts.bus, emails: this.#emails });
    const issues: Issue[] = [];
    const note = async (path: Issue['path'], about: string, rule: () => unknown) => {
      try {
        await rule();
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        issues.push(placed({ path, message: about + error.message }, places));
      }
    };
    if (workflow) await note([], '', () => publishedStatus(workflow.status, undefined));
    for (const email of emails) {
      const place = draft.graph.steps.findIndex(({ id }) => id === email.stepId);
      const about = `${aboutStep(draft.graph.steps[place]!)}: `;
      await note(['steps', place, 'config', 'senderId'], about, () => composer.senderFor(email, caller));
    }
    return issues;
  }
}
