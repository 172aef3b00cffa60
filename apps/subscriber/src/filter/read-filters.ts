import { z } from 'zod';
import type { Filter, Issue } from '#contracts';
import { closestName, parseInput, ToolError } from '#tool-call';
import { conditionsMax, depthMax } from './filter.js';
import type { FilterField, FilterOperator, FilterType } from './filter.js';
import { filterTypeByName } from './filter-table.js';

type Path = Issue['path'];

export interface ReadLeaf {
  kind: 'leaf';
  path: Path;
  type: FilterType;
  field: FilterField;
  operator: FilterOperator;
  params: Record<string, unknown>;
  ids: readonly string[];
  names: readonly string[];
}
export interface ReadGroup {
  kind: 'group';
  match: 'ANY' | 'ALL';
  nodes: readonly ReadNode[];
}
export type ReadNode = ReadLeaf | ReadGroup;

/**
 * Finds all problems of filters, not the first: in types, fields, operators, value fields, nesting.
 * @param stored the filters were saved before: values that fit nothing stay, and `problemsOf` returns them
 */
export function readFilters(
  filters: readonly unknown[],
  path: Path,
  { stored }: { stored: boolean },
): { nodes: ReadNode[]; issues: Issue[] } {
  const issues: Issue[] = [];
  const nodes = readList(filters, path, 0, issues);
  if (!stored) issues.push(...leavesOf(nodes).flatMap(problemsOf));
  if (leavesOf(nodes).length > conditionsMax) {
    issues.push({ path, message: `must have at most ${conditionsMax} filters in all` });
  }
  return { nodes, issues };
}

export const leavesOf = (nodes: readonly ReadNode[]): ReadLeaf[] =>
  nodes.flatMap((node) => (node.kind === 'leaf' ? [node] : leavesOf(node.nodes)));

export const problemsOf = ({ path, operator, params }: ReadLeaf): Issue[] =>
  (operator.problems?.(params) ?? []).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));

function readList(filters: readonly unknown[], path: Path, depth: number, issues: Issue[]): ReadNode[] {
  return filters.flatMap((filter, place) => {
    const node = readOne(filter, [...path, place], depth, issues);
    return node ? [node] : [];
  });
}

function readOne(filter: unknown, path: Path, depth: number, issues: Issue[]): ReadNode | null {
  const refuse = (at: Path, message: string) => {
    issues.push({ path: at, message });
    return null;
  };
  if (filter === null || typeof filter !== 'object' || Array.isArray(filter))
    return refuse(path, 'must be a filter object');
  const words = filter as Filter;
  if (typeof words.type !== 'string') return refuse([...path, 'type'], 'is required');
  const typeName = words.type.toUpperCase();
  if (typeName === 'GROUP') return readGroup(words, path, depth, issues);
  const type = filterTypeByName.get(typeName);
  if (!type) return refuse([...path, 'type'], unknownWord(words.type, [...filterTypeByName.keys(), 'GROUP']));
  const fieldParam = type.fieldParam?.name ?? 'field';
  const field = findField(type, words[fieldParam] ?? type.fieldParam?.byDefault);
  if (!field) {
    const known = type.fields.map((one) => one.field);
    return refuse([...path, fieldParam], unknownWord(words[fieldParam], known));
  }
  const operators = field.operators.map((one) => one.operator);
  const operator = field.operators[operators.indexOf(String(words.operator ?? '').toUpperCase())];
  if (!operator) {
    const wanted = String(words.operator).toUpperCase();
    const others = type.fields.filter((one) => one.operators.some((known) => known.operator === wanted));
    const hint = `; ${wanted} goes with ${fieldParam} ${others.map((one) => one.field).join(' or ')}`;
    return refuse([...path, 'operator'], unknownWord(words.operator, operators) + (others.length > 0 ? hint : ''));
  }
  return readLeaf({ type, field, operator }, words, path, issues);
}

function readGroup(words: Filter, path: Path, depth: number, issues: Issue[]): ReadNode | null {
  const params = parse(groupParams, words, path, issues);
  if (!params) return null;
  if (depth + 1 > depthMax) {
    issues.push({ path, message: `is nested deeper than ${depthMax} groups` });
    return null;
  }
  return {
    kind: 'group',
    match: params.match,
    nodes: readList(params.filters, [...path, 'filters'], depth + 1, issues),
  };
}
export const groupParams = z.strictObject({
  type: z.string(),
  match: z.enum(['ANY', 'ALL']),
  filters: z.array(z.unknown()).min(1).max(100),
});

const outer = { type: z.string(), field: z.string().optional(), operator: z.string() };

function readLeaf(
  row: Pick<ReadLeaf, 'type' | 'field' | 'operator'>,
  words: Filter,
  path: Path,
  issues: Issue[],
): ReadLeaf | null {
  const { type, operator } = row;
  const parsed: Record<string, unknown> | null = parse(
    z.strictObject({ ...outer, ...type.params, ...operator.params }),
    words,
    path,
    issues,
  );
  if (!parsed) return null;
  const { type: _type, field: _field, operator: _operator, ...params } = parsed;
  const reversed = operator.reversed?.(params);
  if (reversed) {
    issues.push({ path: [...path, reversed.last], message: `must not lie before ${reversed.first}` });
    return null;
  }
  const leaf = { kind: 'leaf' as const, path, ...row, params, ids: [] as string[], names: [] as string[] };
  if (!type.targets) return leaf;
  const { ids, names, any } = type.targets;
  leaf.ids = [params[ids] ?? []].flat() as string[];
  leaf.names = [params[names] ?? []].flat() as string[];
  delete params[ids];
  delete params[names];
  const all = any !== undefined && params[any] === true;
  if (leaf.ids.length + leaf.names.length === 0 && !all) {
    issues.push({ path: [...path, names], message: `is required (or ${ids}${any ? `, or ${any}: true` : ''})` });
    return null;
  }
  if (leaf.ids.length + leaf.names.length > 0 && all) {
    issues.push({ path: [...path, any], message: `cannot be combined with ${ids} or ${names}` });
    return null;
  }
  return leaf;
}

function findField({ fields }: FilterType, word: unknown): FilterField | undefined {
  if (word === undefined || word === null) return fields.length === 1 ? fields[0] : undefined;
  return fields.find((one) => one.field.toLowerCase() === String(word).toLowerCase());
}

function parse<S extends z.ZodType>(schema: S, body: unknown, path: Path, issues: Issue[]): z.output<S> | null {
  try {
    return parseInput(schema, body);
  } catch (error) {
    if (!(error instanceof ToolError) || !error.issues) throw error;
    issues.push(...error.issues.map((one) => ({ path: [...path, ...one.path], message: one.message })));
    return null;
  }
}

function unknownWord(word: unknown, known: readonly string[]): string {
  if (word === undefined || word === null) return `is required: one of ${known.join(', ')}`;
  const guess = closestName(String(word), [...known]);
  return `must be one of ${known.join(', ')}, not "${String(word).slice(0, 60)}"${guess ? `; did you mean ${guess}?` : ''}`;
}
