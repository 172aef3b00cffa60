import type { Filter, Issue } from '#contracts';
import { summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { OrganizationSettingsCache } from '../organization/organization.settings.js';
import { nameKey } from '../text/text.js';
import { FilterPlan, targetSlot } from './filter-plan.js';
import type { Condition } from './filter-plan.js';
import type { Target } from './filter.js';
import type { FilterTargetRepository } from './filter-target.repository.js';
import { leavesOf, readFilters } from './read-filters.js';
import type { ReadLeaf, ReadNode } from './read-filters.js';

/** Appends a condition's values to a statement's parameters, and answers its text. */
export type WriteCondition = (params: unknown[]) => Condition;

interface EngineOptions {
  /** Whose filters: a caller's own are refused with FILTERS_INVALID, stored ones with FILTER_TARGET_GONE. */
  from: 'caller' | 'store';
  /** Where the filters stand in the caller's body. */
  path?: Issue['path'];
  /** Holds what is named until the end of the transaction. */
  lock?: boolean;
}

/** Turns filters into plans: checks their words, and finds the records that they and their segments name. */
export class FilterEngine {
  constructor(
    private readonly targets: FilterTargetRepository,
    private readonly settings: OrganizationSettingsCache,
  ) {}

  /**
   * A plan with everything its condition depends on; may ask another service, so never call it inside a transaction.
   * @returns a function that writes the condition into a statement whose first parameter is the organization
   */
  async condition(caller: Caller, filters: readonly unknown[], options: EngineOptions): Promise<WriteCondition> {
    const plan = await this.plan(caller.organizationId, filters, options);
    const zone = plan.zoned ? (await this.settings.find(caller)).timezone : 'UTC';
    return (params) => plan.condition({ params, now: caller.now, zone });
  }

  /**
   * @throws ToolError FILTERS_INVALID with all problems of the caller's filters, each with its path; FILTER_TARGET_GONE
   * when stored filters, or those of a segment, name something that no longer exists
   */
  async plan(organizationId: string, filters: readonly unknown[], options: EngineOptions): Promise<FilterPlan> {
    const { from, path = ['filters'], lock = false } = options;
    const { nodes, issues } = readFilters(filters, path);
    const found = { bySlot: new Map<string, Target>(), segmentNodes: new Map<string, readonly ReadNode[]>() };
    const own = leavesOf(nodes);
    let level = own;
    while (level.length > 0) {
      const fresh = await this.#find(organizationId, level, found.bySlot, lock);
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

  /** Looks up what leaves name, one statement a kind. @returns the records not known before */
  async #find(
    organizationId: string,
    leaves: readonly ReadLeaf[],
    bySlot: Map<string, Target>,
    lock: boolean,
  ): Promise<Target[]> {
    const fresh: Target[] = [];
    for (const kind of new Set(leaves.flatMap(({ type }) => type.targets?.kind ?? []))) {
      const about = leaves.filter(({ type }) => type.targets?.kind === kind);
      const ids = [...new Set(about.flatMap((leaf) => leaf.ids))].filter(
        (id) => !bySlot.has(targetSlot(kind, 'id', id)),
      );
      const nameKeys = [...new Set(about.flatMap((leaf) => leaf.names.map(nameKey)))];
      if (ids.length + nameKeys.length === 0) continue;
      for (const target of await this.targets.list(organizationId, kind, { ids, nameKeys, lock })) {
        const slot = targetSlot(kind, 'id', target.id);
        if (!bySlot.has(slot)) fresh.push(target);
        bySlot.set(slot, target).set(targetSlot(kind, 'name', target.name), target);
      }
    }
    return fresh;
  }
}

/** Stored filters were checked when they were saved; trouble with them now is ours. */
function readStored(filters: readonly Filter[]): ReadNode[] {
  const { nodes, issues } = readFilters(filters, ['filters']);
  if (issues.length > 0) throw new Error(`a stored segment does not read: ${summarise(issues)}`);
  return nodes;
}

/** What a leaf names that is not there, or names twice differently where it may name one. */
function referenceProblems(leaf: ReadLeaf, bySlot: ReadonlyMap<string, Target>): (Issue & { what: string })[] {
  if (!leaf.type.targets) return [];
  const { kind, ids, names, many } = leaf.type.targets;
  const look = (by: 'id' | 'name', texts: readonly string[], param: string) =>
    texts.flatMap((text, place) => {
      if (bySlot.has(targetSlot(kind, by, text))) return [];
      const shown = `"${text.slice(0, 80)}"`;
      const path = [...leaf.path, param, ...(many ? [place] : [])];
      return [{ path, message: `names no ${kind} of this organization: ${shown}`, what: `the ${kind} ${shown}` }];
    });
  const problems = [...look('id', leaf.ids, ids), ...look('name', leaf.names, names)];
  const [id, name] = [leaf.ids[0], leaf.names[0]];
  if (many || id === undefined || name === undefined || problems.length > 0) return problems;
  if (bySlot.get(targetSlot(kind, 'id', id)) === bySlot.get(targetSlot(kind, 'name', name))) return [];
  return [{ path: leaf.path, message: `${ids} and ${names} name different records`, what: `two ${kind}s at once` }];
}
