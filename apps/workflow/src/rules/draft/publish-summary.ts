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
  /** Names of the tags of triggers, by id. */
  tagNames: ReadonlyMap<string, string>;
}

/**
 * Describes in words the effect of publishing a workflow: the version replaced, the subscribers who enter from then on,
 * the effects of a run on its subscriber, and the open runs.
 */
export function publishSummary(publication: Publication): string {
  const { name, draft, version, status, difference, openRuns } = publication;
  const replaces = difference ? `It replaces version ${version - 1}: ${differenceInWords(difference)}.` : null;
  const runs = openRuns > 0 ? runsInWords(openRuns) : null;
  return [
    `Version ${version} of "${name}" is published and can never be changed; the workflow is ${status} then.`,
    replaces,
    status === 'ACTIVE' ? entryInWords(publication) : `Subscribers enter it only once it is ACTIVE.`,
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

const runsInWords = (count: number): string =>
  count === 1
    ? '1 run in progress stays on the version it began with.'
    : `${pluralize(count, 'run')} in progress stay on the version they began with.`;

function entryInWords({ draft: { graph, settings }, tagNames }: Publication): string {
  const triggers = graph.steps.flatMap((step) => (isType(step, 'TRIGGER') ? [step.config] : []));
  const automatic = [
    ...new Set(triggers.filter(({ kind }) => kind !== 'MANUAL').map((trigger) => triggerInWords(trigger, tagNames))),
  ];
  if (automatic.length === 0) return 'Subscribers enter it only when they are added to it.';
  const again = { ONCE: 'once each', AFTER_FINISH: 'again after they finished', ALWAYS: 'each time' }[settings.reentry];
  return `From then on subscribers enter it, ${again}, ${automatic.join(' or ')}; those of before are not enrolled.`;
}

/** Tags that a sentence names; of more it says how many there are. */
const tagsNamed = 5;

function tagsInWords(ids: readonly string[], tagNames: Publication['tagNames']): string {
  const names = ids.slice(0, tagsNamed).map((id) => `"${tagNames.get(id) ?? id}"`);
  if (ids.length === 1) return `the tag ${names[0]!}`;
  const more = ids.length - names.length;
  return `one of the tags ${names.join(', ')}${more > 0 ? ` and ${pluralize(more, 'other')}` : ''}`;
}

function triggerInWords(trigger: Trigger, tagNames: Publication['tagNames']): string {
  const tags = trigger.tags && tagsInWords(trigger.tags, tagNames);
  const narrowed = (trigger.filters?.length ?? 0) > 0 ? ' and they match its filters' : '';
  const when = {
    TAG_ADDED: tags ? `when ${tags} is added` : 'when any tag is added',
    TAG_REMOVED: tags ? `when ${tags} is removed` : 'when any tag is removed',
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
