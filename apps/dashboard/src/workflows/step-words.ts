import { stepText } from '../messages/en/workflow-steps.js';
import type { Filter } from '../parts/filter/filter.js';
import type { Sentence } from '../parts/filter/use-sentence.js';
import type { FlowGraph, FlowStep } from './flow-graph.js';
import { kindWord, typeWord } from './step-labels.js';

export const units = ['MINUTES', 'HOURS', 'DAYS', 'WEEKS'] as const;
export type Unit = (typeof units)[number];
const secondsOf: Record<Unit, number> = { MINUTES: 60, HOURS: 3_600, DAYS: 86_400, WEEKS: 604_800 };

/** A number of seconds in the largest unit that fits. */
export function spanOf(seconds: number): { amount: number; unit: Unit } {
  const unit = [...units].reverse().find((one) => seconds > 0 && seconds % secondsOf[one] === 0) ?? 'MINUTES';
  return { amount: seconds / secondsOf[unit], unit };
}

export const secondsIn = (amount: number, unit: Unit): number => amount * secondsOf[unit];

/** Names things for the words of a step. */
export interface Names {
  sentence: (filters: readonly Filter[]) => string;
  /** The name or words of another step. */
  step: (id: string) => string | undefined;
  /** The name of a tag by its id; the id where it is not known. */
  tag: (id: string) => string;
}

type Config = Record<string, unknown>;
const filtersOf = (config: Config): Filter[] => (Array.isArray(config.filters) ? (config.filters as Filter[]) : []);

const taggedKinds = ['TAG_ADDED', 'TAG_REMOVED', 'ADD_TAGS', 'REMOVE_TAGS'] as const;
type TaggedKind = (typeof taggedKinds)[number];
const isTagged = (kind: unknown): kind is TaggedKind => taggedKinds.includes(kind as TaggedKind);

/** An event or action with its tags by name; an event without tags means any of them. */
function tagWords(kind: TaggedKind, tags: unknown, names: Names): string {
  if (Array.isArray(tags) && tags.length > 0)
    return stepText(`withTags.${kind}`, { tags: tags.map((id) => names.tag(String(id))).join(', ') });
  return kind === 'TAG_ADDED' || kind === 'TAG_REMOVED' ? stepText(`anyTag.${kind}`) : kindWord(kind);
}

function eventWords(event: unknown, names: Names): string {
  const { kind, eventType, tags } = (event ?? {}) as Config;
  if (isTagged(kind)) return tagWords(kind, tags, names);
  return kind === 'EVENT' && typeof eventType === 'string' ? stepText('event', { type: eventType }) : kindWord(kind);
}

/** What an event or filters wait for, in words. */
export const conditionWords = (config: Config, names: Names): string =>
  config.event !== undefined
    ? eventWords(config.event, names)
    : filtersOf(config).length > 0
      ? names.sentence(filtersOf(config))
      : stepText('until.filters');

function waitWords({ amount, unit, duration, timeOfDay, fieldId }: Config): string {
  const span =
    typeof duration === 'number' ? spanOf(duration) : { amount: Number(amount ?? 0), unit: (unit ?? 'DAYS') as Unit };
  if (fieldId !== undefined) return stepText('wait.date');
  if (typeof timeOfDay === 'string') return stepText('wait.at', { time: timeOfDay });
  return units.includes(span.unit) ? stepText(`wait.${span.unit}`, { count: span.amount }) : typeWord('WAIT');
}

function untilWords(config: Config, names: Names): string {
  const what = conditionWords(config, names);
  if (typeof config.timeout !== 'number') return stepText('until', { what });
  const { amount, unit } = spanOf(config.timeout);
  return stepText('until.atMost', { what, span: stepText(`span.${unit}`, { count: amount }) });
}

/** What a step does, from its type and config alone. */
export function stepWords({ type, config }: FlowStep, names: Names): string {
  switch (type) {
    case 'TRIGGER':
      return eventWords(config, names);
    case 'EMAIL':
      return typeof config.subject === 'string' && config.subject !== ''
        ? stepText('email', { subject: config.subject })
        : stepText('email.none');
    case 'WAIT':
      return waitWords(config);
    case 'WAIT_UNTIL':
      return untilWords(config, names);
    case 'CONDITION':
      return filtersOf(config).length > 0
        ? stepText('if', { what: names.sentence(filtersOf(config)) })
        : stepText('if.empty');
    case 'SPLIT':
      return stepText('split', {
        names: (Array.isArray(config.branches) ? (config.branches as Config[]) : [])
          .map(({ name }) => String(name ?? ''))
          .join(', '),
      });
    case 'ACTION':
      return isTagged(config.kind) ? tagWords(config.kind, config.tags, names) : kindWord(config.kind);
    case 'MOVE_TO_STEP': {
      const step = names.step(String(config.stepId ?? ''));
      return step === undefined ? stepText('move.none') : stepText('move', { step });
    }
    case 'GOAL':
      return stepText('goal', { what: conditionWords(config, names) });
    case 'EXIT':
      return typeof config.reason === 'string' && config.reason !== ''
        ? stepText('end.reason', { reason: config.reason })
        : stepText('end');
    default:
      return typeWord(type);
  }
}

/** Titles of all steps of a graph: their names, else what they do. */
export function titlesOf({ steps }: FlowGraph, sentence: Sentence): (id: string) => string {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const titleOf = (id: string, depth: number): string | undefined => {
    const step = byId.get(id);
    if (!step) return undefined;
    // A step may lead to another that leads back.
    const inner = (other: string) => (depth > 0 ? (byId.get(other)?.name ?? other) : titleOf(other, depth + 1));
    const stepOf = (other: string) => (byId.has(other) ? inner(other) : undefined);
    return step.name ?? stepWords(step, { sentence, step: stepOf, tag: sentence.nameOf });
  };
  return (id) => titleOf(id, 0) ?? id;
}
