import type { Filter } from '#contracts';
import { ToolError } from '#tool-call';
import { nameKey } from '../text/text.js';
import { FilterCompiler } from './filter-compiler.js';
import type { CompileOptions, Condition } from './filter-compiler.js';
import type { Target, TargetKind } from './filter.js';
import { leavesOf, problemsOf } from './read-filters.js';
import type { ReadLeaf, ReadNode } from './read-filters.js';

/** Key of a record in the found targets: by id, or by name without regard to case. */
export const targetSlot = (kind: TargetKind, by: 'id' | 'name', text: string): string =>
  `${kind}/${by}/${by === 'id' ? text : nameKey(text)}`;

export interface FoundTargets {
  /** By slot; a name may be several campaigns' or workflows'. */
  bySlot: ReadonlyMap<string, readonly Target[]>;
  segmentNodes: ReadonlyMap<string, readonly ReadNode[]>;
}

export class FilterPlan {
  constructor(
    private readonly nodes: readonly ReadNode[],
    readonly found: FoundTargets,
  ) {}

  get zoned(): boolean {
    return [this.nodes, ...this.found.segmentNodes.values()].some((nodes) =>
      leavesOf(nodes).some(({ operator }) => operator.zoned),
    );
  }

  each(): FilterPlan[] {
    return this.nodes.map((node) => new FilterPlan([node], this.found));
  }

  /** The types of all conditions; with a segment among them, also those of all segments that were found. */
  types(): string[] {
    const own = leavesOf(this.nodes).map(({ type }) => type.type);
    if (!own.includes('SEGMENT')) return own;
    return [...own, ...[...this.found.segmentNodes.values()].flatMap(leavesOf).map(({ type }) => type.type)];
  }

  /** The filters as they are stored: words in upper case, records by id. */
  normalised(): Filter[] {
    return this.nodes.map((node) => this.#normalise(node));
  }

  references(): string[] {
    const all = leavesOf(this.nodes).flatMap((leaf) => this.#targetsOf(leaf).map(({ kind, id }) => `${kind}:${id}`));
    return [...new Set(all)].sort();
  }

  /** Stored values, of the filters and of the segments they include, that fit nothing and are compared as text. */
  warnings(): string[] {
    const leaves = [this.nodes, ...this.found.segmentNodes.values()].flatMap(leavesOf);
    const said = leaves.flatMap((leaf) =>
      problemsOf(leaf).map(({ message }) => `A filter on ${leaf.field.field} ${message}. It is compared as text.`),
    );
    return [...new Set(said)];
  }

  /** Writes the condition that a subscriber row `s` meets; every subscriber meets an empty list. */
  condition(options: CompileOptions): Condition {
    const targetsOf = (leaf: ReadLeaf) => this.#targetsOf(leaf);
    return new FilterCompiler({ ...this.found, targetsOf }, options).condition(this.nodes);
  }

  /**
   * @throws ToolError SEGMENT_CYCLE when a segment saved with these filters would contain itself, directly or through
   * others
   */
  assertOutside(segment: { id: string; name: string }): void {
    const tried = new Set<string>();
    const wayFrom = (nodes: readonly ReadNode[]): string[] | null => {
      for (const { id, name } of leavesOf(nodes).flatMap((leaf) => this.#targetsOf(leaf))) {
        if (id === segment.id) return [name];
        const inside = this.found.segmentNodes.get(id);
        if (!inside || tried.has(id)) continue;
        tried.add(id);
        const way = wayFrom(inside);
        if (way) return [name, ...way];
      }
      return null;
    };
    const way = wayFrom(this.nodes);
    if (way) throw new ToolError('SEGMENT_CYCLE', { path: [segment.name, ...way].join(' > ') });
  }

  #normalise(node: ReadNode): Filter {
    if (node.kind === 'group') {
      return { type: 'GROUP', match: node.match, filters: node.nodes.map((one) => this.#normalise(one)) };
    }
    const { type, field, operator, params } = node;
    const ids = this.#targetsOf(node).map(({ id }) => id);
    return {
      type: type.type,
      ...(!type.fieldParam && { field: field.field }),
      operator: operator.operator,
      ...(type.targets && ids.length > 0 && { [type.targets.ids]: type.targets.many ? [...new Set(ids)] : ids[0] }),
      ...params,
    };
  }

  #targetsOf({ type, ids, names }: ReadLeaf): Target[] {
    if (!type.targets) return [];
    const { kind } = type.targets;
    return [
      ...ids.map((id) => this.found.bySlot.get(targetSlot(kind, 'id', id))![0]!),
      ...names.map((name) => this.found.bySlot.get(targetSlot(kind, 'name', name))![0]!),
    ];
  }
}
