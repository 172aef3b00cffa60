import { stepText } from '../messages/en/workflow-steps.js';

const known = new Set<string>(
  [
    'name kind tags fieldId field value campaignId eventType filters offsetDays time timeOfDay weekdays timezone amount unit',
    'duration timeout event stepId workflowId reason url secret headers subject preview content contentType senderId replyTo',
    'branches withinDays',
  ].flatMap((line) => line.split(' ')),
);

/** The label of a field of a step; one that is not known is made readable, such as "offsetDays" → "Offset days". */
export function fieldLabel(name: string): string {
  if (known.has(name)) return stepText(`field.${name}` as Parameters<typeof stepText>[0]);
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const kinds = new Set<string>(
  'TAG_ADDED TAG_REMOVED SUBSCRIBED UNSUBSCRIBED FIELD_UPDATED EMAIL_OPENED EMAIL_CLICKED EVENT DATE_FIELD MANUAL ADD_TAGS REMOVE_TAGS SET_FIELD UNSUBSCRIBE ADD_TO_WORKFLOW REMOVE_FROM_WORKFLOW WEBHOOK'.split(
    ' ',
  ),
);

/** The words for a kind of trigger, event or action. */
export const kindWord = (kind: unknown): string =>
  kinds.has(String(kind)) ? stepText(`kind.${String(kind)}` as Parameters<typeof stepText>[0]) : String(kind ?? '');

const types = new Set('TRIGGER EMAIL WAIT WAIT_UNTIL CONDITION SPLIT ACTION MOVE_TO_STEP GOAL EXIT'.split(' '));

export const typeWord = (type: string): string =>
  types.has(type) ? stepText(`type.${type}` as Parameters<typeof stepText>[0]) : type;

/** What a step of a type does, in a sentence; undefined for a type that has no words here. */
export const typeLead = (type: string): string | undefined =>
  types.has(type) ? stepText(`about.${type}` as Parameters<typeof stepText>[0]) : undefined;

/** The name of a way out of a step. */
export function branchWord(branch: string | undefined): string {
  if (branch === undefined) return stepText('none');
  return ['TRUE', 'FALSE', 'MATCHED', 'TIMEOUT'].includes(branch)
    ? stepText(`branch.${branch}` as Parameters<typeof stepText>[0])
    : stepText('branch.other', { name: branch });
}
