import type { Filter, Issue } from '#contracts';
import type { OrganizationSettingsCache } from '#service-host';
import { summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { nameKey } from '../text/text.js';
import type { CompileOptions, Condition } from './filter-compiler.js';
import { FilterPlan, targetSlot } from './filter-plan.js';
import type { FilterTargetClient } from './filter-target.client.js';
import { isOwn } from './filter.js';
import type { Target, TargetKind } from './filter.js';
import type { FilterTargetRepository } from './filter-target.repository.js';
import { leavesOf, readFilters } from './read-filters.js';
import type { ReadLeaf, ReadNode } from './read-filters.js';

export type WriteCondition = (params: unknown[], options?: Pick<CompileOptions, 'before'>) => Condition;

interface EngineOptions {
  /**
   * Problems of a caller's own filters are FILTERS_INVALID, of stored ones FILTER_TARGET_GONE. Stored values of the
   * wrong form are compared as text.
   */
  from: 'caller' | 'store';
  /** The caller's filters were saved before, and keep values that fit nothing. */
  storedValues?: boolean;
  path?: Issue['path'];
  /**
   * Inside a transaction that saves the filters: the plan made before it, since the transaction calls no other service.
   * The named records are locked until its end.
   */
  saving?: FilterPlan;
}

interface FilterEngineDependencies {
  targets: FilterTargetRepository;
  owners: FilterTargetClient;
  settings: OrganizationSettingsCache;
}

/** Turns filters into plans: checks their words, and finds the records that they and their segments name. */
export class FilterEngine {
  constructor(private readonly parts: FilterEngineDependencies) {}

  /**
   * It may call another service, so never call it inside a transaction.
   * @returns a function that writes the condition into a statement whose first parameter is the organization
   */
  async condition(caller: Caller, filters: readonly unknown[], options: EngineOptions): Promise<WriteCondition> {
    return await this.conditionOf(caller, await this.plan(caller, filters, options));
  }

  async conditionOf(caller: Caller, plan: FilterPlan): Promise<WriteCondition> {
    const zone = plan.zoned ? (await this.parts.settings.find(caller)).timezone : 'UTC';
    return (params, options) => plan.condition({ ...options, params, now: caller.now, zone });
  }

  /**
   * @throws ToolError FILTERS_INVALID with all problems of the caller's filters, each with its path; FILTER_TARGET_GONE
   * when stored filters, or those of a segment, name something that no longer exists
   */
  async plan(caller: Caller, filters: readonly unknown[], options: EngineOptions): Promise<FilterPlan> {
    const { from, path = ['filters'], saving, storedValues: stored = from === 'store' } = options;
    const { nodes, issues } = readFilters(filters, path, { stored });
    const found = { bySlot: new Map<string, Target[]>(), segmentNodes: new Map<string, readonly ReadNode[]>() };
    const own = leavesOf(nodes);
    let level = own;
    while (level.length > 0) {
      const fresh = await this.#find(caller, level, found.bySlot, saving);
      const problems = level.flatMap((leaf) => referenceProblems(leaf, found.bySlot));
      if (level === own && from === 'caller') issues.push(...problems.map(({ what: _, ...issue }) => issue));
      else if (problems[0]) throw new ToolError('FILTER_TARGET_GONE', { what: problems[0].what });
      level = fresh.flatMap((target) => {
        const inside = target.filters && readStored(target.filters);
        if (inside) found.segmentNodes.set(target.id, inside);
        return inside ? leavesOf(inside) : [];
      });
    }
    if (issues.length > 0) {
      throw new ToolError('FILTERS_INVALID', { summary: summarise(issues) }, { issues });
    }
    return new FilterPlan(nodes, found);
  }

  /** Looks up what leaves name, one question a kind. @returns the records not known before */
  async #find(
    caller: Caller,
    leaves: readonly ReadLeaf[],
    bySlot: Map<string, Target[]>,
    saving: FilterPlan | undefined,
  ): Promise<Target[]> {
    const fresh: Target[] = [];
    for (const kind of new Set(leaves.flatMap(({ type }) => type.targets?.kind ?? []))) {
      const about = leaves.filter(({ type }) => type.targets?.kind === kind);
      const ids = [...new Set(about.flatMap((leaf) => leaf.ids))].filter(
        (id) => !bySlot.has(targetSlot(kind, 'id', id)),
      );
      const names = [...new Set(about.flatMap((leaf) => leaf.names.map(nameKey)))];
      if (ids.length + names.length === 0) continue;
      for (const target of await this.#list(caller, kind, { ids, names }, saving)) {
        const slot = targetSlot(kind, 'id', target.id);
        if (bySlot.has(slot)) continue;
        fresh.push(target);
        bySlot.set(slot, [target]);
        const named = targetSlot(kind, 'name', target.name);
        bySlot.set(named, [...(bySlot.get(named) ?? []), target]);
      }
      if (kind === 'campaign') await this.#assertKept(caller, fresh);
      // Conditions in content, and in customers' programs, use the name that a field had when they were written.
      const gone = names.filter((name) => !bySlot.has(targetSlot(kind, 'name', name)));
      if (kind !== 'field' || gone.length === 0) continue;
      for (const [name, target] of await this.parts.targets.listFormer(caller.organizationId, gone, !!saving)) {
        bySlot.set(targetSlot(kind, 'name', name), bySlot.get(targetSlot(kind, 'id', target.id)) ?? [target]);
      }
    }
    return fresh;
  }

  /** @throws ToolError RECORDS_EXPIRED, since without its activity a campaign would seem to have reached no subscriber */
  async #assertKept({ organizationId }: Caller, targets: readonly Target[]): Promise<void> {
    const campaigns = targets.filter(({ kind, key }) => kind === 'campaign' && key !== '');
    if (campaigns.length === 0) return;
    const keys = campaigns.map(({ key }) => key);
    const expired = await this.parts.targets.listExpiredCampaigns(organizationId, keys);
    const gone = campaigns.find(({ key }) => expired.has(key));
    if (gone) throw new ToolError('RECORDS_EXPIRED', { what: `Who received the campaign "${gone.name}"` });
  }

  async #list(
    caller: Caller,
    kind: TargetKind,
    wanted: { ids: readonly string[]; names: readonly string[] },
    saving: FilterPlan | undefined,
  ): Promise<Target[]> {
    if (isOwn(kind)) return await this.parts.targets.list(caller.organizationId, kind, { ...wanted, lock: !!saving });
    if (!saving) return await this.parts.owners.list(caller, kind, wanted);
    // Owners were asked before the transaction; what only segments name was checked when those were saved.
    const known = [
      ...wanted.ids.map((id) => saving.found.bySlot.get(targetSlot(kind, 'id', id)) ?? { kind, id, key: '', name: id }),
      ...wanted.names.map((name) => saving.found.bySlot.get(targetSlot(kind, 'name', name)) ?? []),
    ];
    return known.flat();
  }
}

/** Stored filters were checked when they were saved; trouble with them now is ours. */
function readStored(filters: readonly Filter[]): ReadNode[] {
  const { nodes, issues } = readFilters(filters, ['filters'], { stored: true });
  if (issues.length > 0) throw new Error(`a stored segment is invalid: ${summarise(issues)}`);
  return nodes;
}

/**
 * The tool that lists the records of each kind. An email of a workflow has an id like a campaign's but is no campaign.
 */
const finders: Record<TargetKind, string> = {
  tag: 'list_tags lists them',
  field: 'get_custom_fields lists them',
  segment: 'list_segments lists them',
  campaign: 'list_campaigns lists them; get_workflow counts recipients and opens of workflow emails',
  workflow: 'list_workflows lists them',
};

type ReferenceProblem = Issue & { what: string };

/** What a leaf names that is not there, is several, or is two different records where it may name one. */
function referenceProblems(leaf: ReadLeaf, bySlot: ReadonlyMap<string, readonly Target[]>): ReferenceProblem[] {
  if (!leaf.type.targets) return [];
  const { kind, ids, names, many } = leaf.type.targets;
  const look = (by: 'id' | 'name', texts: readonly string[], param: string) =>
    texts.flatMap((text, place) => {
      const found = bySlot.get(targetSlot(kind, by, text)) ?? [];
      if (found.length === 1) return [];
      const shown = `"${text.slice(0, 80)}"`;
      const path = [...leaf.path, param, ...(many ? [place] : [])];
      if (found.length === 0) {
        const message = `names no ${kind} of this organization: ${shown}; ${finders[kind]}`;
        return [{ path, message, what: `the ${kind} ${shown}` }];
      }
      const message = `names several ${kind}s; say which by ${ids}: ${found.map(({ id }) => id).join(', ')}`;
      return [{ path, message, what: `several ${kind}s named ${shown}` }];
    });
  const problems = [...look('id', leaf.ids, ids), ...look('name', leaf.names, names)];
  const [id, name] = [leaf.ids[0], leaf.names[0]];
  if (many || id === undefined || name === undefined || problems.length > 0) return problems;
  if (bySlot.get(targetSlot(kind, 'id', id))![0] === bySlot.get(targetSlot(kind, 'name', name))![0]) return [];
  return [{ path: leaf.path, message: `${ids} and ${names} name different records`, what: `two ${kind}s at once` }];
}
