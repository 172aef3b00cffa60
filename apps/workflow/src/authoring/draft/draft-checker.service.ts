import type { ServiceBus } from '#bus';
import { campaignRequests, subscriberRequests, subscriberWorkflowRequests, tagName } from '#contracts';
import type { Filter, Issue } from '#contracts';
import { checkStoredFilters } from '#service-host';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import type { EmailRepository } from '../email/email.repository.js';
import type { GraphWarning } from '../../rules/graph/read-graph.js';
import type { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { checkZone } from '../../rules/draft/draft.js';
import type { Draft } from '../../rules/draft/draft.js';
import { References } from '../../rules/draft/references.js';
import type { FilterPlace, Reference, ReferenceKind } from '../../rules/draft/references.js';

interface Dependencies {
  bus: ServiceBus;
  workflows: WorkflowRepository;
  emails: EmailRepository;
}

/** Resolves the references of drafts, here and with other services; never inside a transaction. */
export class DraftChecker {
  constructor(private readonly parts: Dependencies) {}

  /**
   * Writes ids in the place of names into the draft.
   * @param stored the draft was saved before: a value of a filter may fit nothing by today's rules
   * @returns what there is not, and what will be made
   */
  async check(
    draft: Draft,
    caller: Caller,
    { stored = false } = {},
  ): Promise<{ issues: Issue[]; warnings: GraphWarning[] }> {
    const references = new References(draft);
    const issues: Issue[] = [];
    const warnings: GraphWarning[] = [];
    for (const { text, path } of references.zones) checkZone(text, path, issues);
    const { bus } = this.parts;
    const check = (filters: Filter[]) =>
      stored
        ? checkStoredFilters(bus, filters, caller)
        : bus.client(subscriberRequests).check_filters({ filters }, caller);
    await Promise.all(references.filters.map((place) => this.#checkFilters(place, check, issues)));
    const ids = await this.#find(references.named, caller);
    for (const reference of references.named) {
      const { kind, text, path, about } = reference;
      const id = ids.get(`${kind} ${text}`);
      if (id) reference.write(id);
      else if (reference.mayBeNew && !/^tag_[0-9a-z]{26}$/.test(text)) {
        const problem = tagName.safeParse(text).error?.issues[0]?.message;
        const tag = `${about}: the tag "${text}"`;
        if (problem !== undefined) issues.push({ path, message: `${tag} cannot be made: ${problem}` });
        else {
          const stepId = draft.graph.steps[path[1] as number]!.id;
          warnings.push({ stepId, message: `${tag} does not exist yet and is made by the step` });
        }
      } else {
        const found = `no ${kindNames[kind]} of this organization is "${text}"`;
        issues.push({ path, message: `${about}: ${found}; ${finders[kind]}` });
      }
    }
    return { issues, warnings };
  }

  async #find(named: readonly Reference[], caller: Caller): Promise<Map<string, string>> {
    const textsOf = (kind: ReferenceKind) => [
      ...new Set(named.filter((reference) => reference.kind === kind).map(({ text }) => text)),
    ];
    const found = new Map<string, string>();
    const [tags, fields, campaigns, workflows] = (['tag', 'field', 'campaign', 'workflow'] as const).map(textsOf);
    if (tags!.length + fields!.length > 0) {
      const { find_tags_and_fields } = this.parts.bus.client(subscriberWorkflowRequests);
      for (let from = 0; from < Math.max(tags!.length, fields!.length); from += namesAtOnce) {
        const [some, others] = [tags!, fields!].map((texts) => texts.slice(from, from + namesAtOnce));
        const answer = await find_tags_and_fields({ tags: some!, fields: others! }, caller);
        answer.tags.forEach((tag, place) => tag && found.set(`tag ${some![place]!}`, tag.id));
        answer.fields.forEach((field, place) => field && found.set(`field ${others![place]!}`, field.id));
      }
    }
    const { organizationId } = caller;
    for (const { id } of await this.parts.emails.listByIds(organizationId, campaigns!)) found.set(`campaign ${id}`, id);
    const others = campaigns!.filter((id) => !found.has(`campaign ${id}`));
    if (others.length > 0) {
      const { find_campaigns } = this.parts.bus.client(campaignRequests);
      for (const { id } of (await find_campaigns({ ids: others, names: [] }, caller)).campaigns)
        found.set(`campaign ${id}`, id);
    }
    if (workflows!.length > 0) {
      const asked = { ids: workflows!, names: [], newest: 0 };
      for (const { id } of await this.parts.workflows.listNamed(organizationId, asked)) found.set(`workflow ${id}`, id);
    }
    return found;
  }

  async #checkFilters(
    { filters, write, path, about }: FilterPlace,
    check: (filters: Filter[]) => Promise<{ filters: Filter[] }>,
    issues: Issue[],
  ): Promise<void> {
    try {
      write((await check(filters)).filters);
    } catch (error) {
      if (!(error instanceof RemoteFailure) || !refusals.includes(error.failure.reason ?? '')) throw error;
      const reported = error.failure.issues ?? [{ path: [], message: error.message }];
      issues.push(
        ...reported.map((issue) => ({
          path: [...path, ...issue.path.slice(1)],
          message: `${about}: ${issue.message}`,
        })),
      );
    }
  }
}

/** Most names in one request; a draft of 500 steps may hold more. */
const namesAtOnce = 1_000;
const kindNames: Record<ReferenceKind, string> = {
  tag: 'tag',
  field: 'custom field',
  campaign: 'campaign or workflow email',
  workflow: 'workflow',
};
/** Advice for an unknown reference; a tag or field that is written to a subscriber must already exist. */
const finders: Record<ReferenceKind, string> = {
  tag: 'list_tags lists them, and get_or_create_tags creates one',
  field: 'get_custom_fields lists them, and create_custom_field creates one',
  campaign: 'list_campaigns and get_workflow list them',
  workflow: 'list_workflows lists them',
};
const refusals = ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'];
