import type { z } from 'zod';
import type { Filter, Issue } from '#contracts';

export type OwnKind = 'tag' | 'field' | 'segment';
export type OwnedElsewhere = 'campaign' | 'workflow';
export type TargetKind = OwnKind | OwnedElsewhere;
export const isOwn = (kind: TargetKind): kind is OwnKind => kind !== 'campaign' && kind !== 'workflow';

export interface Target {
  kind: TargetKind;
  id: string;
  /** As it is stored: a uuid. */
  key: string;
  name: string;
  filters?: readonly Filter[];
}

/** What operators build their condition with: values become parameters, never text. */
export interface ConditionScope {
  readonly organization: string;
  /** That a row of another table, known by this alias, is of the subscriber. */
  isTheirs(alias: string): string;
  readonly now: Date;
  /** IANA zone of the organization, for the bounds of days. */
  readonly zone: string;
  /** Makes a value a parameter. @returns its place, such as `$3::text[]` */
  bind(value: unknown, type: string): string;
  /** Asks for the subscriber's activity row, which is absent when nothing ever happened. @returns its alias */
  activity(): string;
  segment(target: Target): string;
}

/** One filter as an operator sees it: its value fields checked, and the records it names. */
export interface Leaf {
  field: string;
  params: Record<string, unknown>;
  targets: readonly Target[];
}

/** A row of the table of filters: listing, validation and SQL all come from it. */
export interface FilterOperator {
  operator: string;
  /** Value fields beside type, field and operator. */
  params: z.ZodRawShape;
  example: Record<string, unknown>;
  /** The value fields of a span that ends before it begins, which no subscriber could meet. */
  reversed?(params: Record<string, unknown>): { first: string; last: string } | null;
  /** What values of a new filter are refused for, with paths from the filter; a stored filter keeps them. */
  problems?(params: Record<string, unknown>): Issue[];
  /** Whether the condition depends on the organization's time zone. */
  zoned?: true;
  /** Every subscriber that meets the condition also meets the filters of the segment that it names. */
  includesTarget?: true;
  /** A boolean expression over the subscriber row `s`; null counts as false. */
  condition(leaf: Leaf, scope: ConditionScope): string;
}

export interface FilterField {
  field: string;
  label: string;
  operators: readonly FilterOperator[];
}

export interface FilterType {
  type: string;
  fields: readonly FilterField[];
  params?: z.ZodRawShape;
  /** Which value fields name records, by id or by name: `many` of them, or one; `any` is the one that names all. */
  targets?: { kind: TargetKind; ids: string; names: string; many: boolean; any?: string };
  /** Where another value field than `field` says which field of the table is meant. */
  fieldParam?: { name: string; byDefault: string };
}

/** How deep groups may be nested in groups; the caller's list is depth 0. */
export const depthMax = 3;
/** Conditions of one statement, those of segments included: bounds what a planner is asked to bear. */
export const conditionsMax = 500;
