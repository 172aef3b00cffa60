import { pluralize } from '#tool-call';
import type { WorkflowStatus } from '#contracts';
import { isType } from '../graph/graph.js';
import type { differenceOf, Draft } from './draft.js';

type Trigger = Extract<Draft['graph']['steps'][number], { type: 'TRIGGER' }>['config'];

export interface Publication {
  name: string;
  draft: Draft;
  version: number;
  status: WorkflowStatus;
  difference: ReturnType<typeof differenceOf> | null;
  /** Open runs, which stay on the versions that they began with. */
  openRuns: number;
}

/**
 * Describes in words the effect of publishing a workflow: the version replaced, the subscribers who enter from then on,
 * the effects of a run on its subscriber, and the open runs.
 */
export function publishSummary({ name, draft, version, status, difference, openRuns }: Publication): string {
  const replaces = difference ? `It replaces version ${version - 1}: ${differenceInWords(difference)}.` : null;
  const runs = openRuns > 0 ? `${pluralize(openRuns, 'run')} in progress stay on the version they began with.` : null;
  return [
    `Version ${version} of "${name}" is published and can never be changed; the workflow is ${status} then.`,
    replaces,
    status === 'ACTIVE' ? entryInWords(draft) : `Subscribers enter it only once it is ACTIVE.`,
    effectsInWords(draft),
    runs,
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

function differenceInWords(difference: NonNullable<Publication['difference']>): string {
  const { stepsAdded, stepsChanged, stepsRemoved, edges, settings, successGoals } = difference;
  const parts = [
    stepsAdded.length > 0 && `${pluralize(stepsAdded.length, 'step')} added`,
    stepsChanged.length > 0 && `${pluralize(stepsChanged.length, 'step')} changed`,
    stepsRemoved.length > 0 && `${pluralize(stepsRemoved.length, 'step')} removed`,
    edges && 'edges changed',
    settings && 'settings changed',
    successGoals && 'goals changed',
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(', ') : 'nothing differs';
}

function entryInWords({ graph, settings }: Draft): string {
  const triggers = graph.steps.flatMap((step) => (isType(step, 'TRIGGER') ? [step.config] : []));
  const automatic = [...new Set(triggers.filter(({ kind }) => kind !== 'MANUAL').map(triggerInWords))];
  if (automatic.length === 0) return 'Subscribers enter it only when they are added to it.';
  const again = { ONCE: 'once each', AFTER_FINISH: 'again after they finished', ALWAYS: 'each time' }[settings.reentry];
  return `From then on subscribers enter it, ${again}, ${automatic.join(' or ')}; those of before are not enrolled.`;
}

function triggerInWords(trigger: Trigger): string {
  const tags = pluralize(trigger.tags?.length ?? 0, 'tag');
  const narrowed = (trigger.filters?.length ?? 0) > 0 ? ' and they match its filters' : '';
  const when = {
    TAG_ADDED: trigger.tags ? `when one of ${tags} is added` : 'when any tag is added',
    TAG_REMOVED: trigger.tags ? `when one of ${tags} is removed` : 'when any tag is removed',
    SUBSCRIBED: 'when they subscribe',
    UNSUBSCRIBED: 'when they unsubscribe',
    FIELD_UPDATED: 'when a custom field changes',
    EMAIL_OPENED: 'when they open an email',
    EMAIL_CLICKED: 'when they click a link',
    EVENT: `when the event ${trigger.eventType} happens`,
    DATE_FIELD: 'by the date in a custom field',
    MANUAL: 'when they are added to it',
  }[trigger.kind];
  return when + narrowed;
}

function effectsInWords({ graph }: Draft): string {
  const emails = graph.steps.filter(({ type }) => type === 'EMAIL').length;
  const actions = graph.steps.filter(({ type }) => type === 'ACTION').length;
  const does = [
    emails > 0 && `sends up to ${pluralize(emails, 'email')} a subscriber`,
    actions > 0 && `carries out up to ${pluralize(actions, 'action')}`,
  ].filter((part) => part !== false);
  return does.length > 0 ? `It ${does.join(' and ')}.` : 'It sends no email and carries out no action.';
}
