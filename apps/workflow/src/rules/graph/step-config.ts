import { z } from 'zod';
import { emailText, fieldValues, filters, idText } from '#contracts';

/** The longest wait, in seconds: a year (API text, Workflows). */
export const waitSecondsMax = 365 * 86_400;
export const secondsOf = { MINUTES: 60, HOURS: 3_600, DAYS: 86_400, WEEKS: 604_800 } as const;

/** Schema of a word from a list, in any case; its JSON Schema names the words. */
const word = <const W extends readonly [string, ...string[]]>(words: W) =>
  z
    .string()
    .meta({ enum: [...words] })
    .transform((text) => text.trim().toUpperCase())
    .pipe(z.enum(words));

export const eventKinds = [
  'TAG_ADDED',
  'TAG_REMOVED',
  'SUBSCRIBED',
  'UNSUBSCRIBED',
  'FIELD_UPDATED',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'EVENT',
] as const;
export type EventKind = (typeof eventKinds)[number];

const references = z.array(idText).min(1).max(100);
const someFilters = filters.min(1);
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:00');
const weekdays = z.array(z.int().min(1).max(7)).min(1).max(7);
const seconds = z
  .int()
  .min(0)
  .refine((count) => count <= waitSecondsMax, 'must not be more than one year');
const offsetDays = z.int().min(-3650).max(3650);
const timezone = z.string().max(255);

const eventShape = {
  tags: references.optional(),
  fieldId: idText.optional(),
  campaignId: idText.optional(),
  eventType: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .transform((text) => text.toUpperCase())
    .optional(),
  filters: filters.optional(),
};
/** Kinds of events that use each field; with other kinds it would be ignored, or the condition could never be met. */
const kindsWith: Record<string, readonly string[]> = {
  tags: ['TAG_ADDED', 'TAG_REMOVED', 'EVENT'],
  fieldId: ['FIELD_UPDATED', 'DATE_FIELD', 'EVENT'],
  campaignId: ['EMAIL_OPENED', 'EMAIL_CLICKED', 'UNSUBSCRIBED', 'EVENT'],
  eventType: ['EVENT'],
  offsetDays: ['DATE_FIELD'],
  time: ['DATE_FIELD'],
};
/** Events that workflows emit themselves and do not receive. */
const unheard = ['WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'WORKFLOW_CANCELED', 'WEBHOOK_EXECUTED'];

function fitsItsKind(config: { kind: string; eventType?: string | undefined }, context: z.RefinementCtx): void {
  const tell = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  for (const [key, kinds] of Object.entries(kindsWith))
    if ((config as Record<string, unknown>)[key] !== undefined && !kinds.includes(config.kind))
      tell(key, `is only for ${kinds.join(', ')}`);
  if (config.eventType !== undefined && unheard.includes(config.eventType))
    tell('eventType', `workflows do not hear ${config.eventType}; filters of the type WORKFLOW tell who is in which`);
}

const namesItsType = ({ kind, eventType }: { kind: string; eventType?: string | undefined }) =>
  kind !== 'EVENT' || eventType !== undefined;
const typeMissing = { path: ['eventType'], message: 'is required for EVENT' };

const event = z
  .strictObject({ kind: word(eventKinds), ...eventShape })
  .refine(namesItsType, typeMissing)
  .superRefine(fitsItsKind);
export type EventSpec = z.output<typeof event>;

const trigger = z
  .strictObject({
    kind: word([...eventKinds, 'DATE_FIELD', 'MANUAL']),
    ...eventShape,
    offsetDays: offsetDays.optional(),
    time: timeOfDay.optional(),
  })
  .refine(namesItsType, typeMissing)
  .superRefine(fitsItsKind)
  .refine(({ kind, fieldId }) => kind !== 'DATE_FIELD' || fieldId !== undefined, {
    path: ['fieldId'],
    message: 'is required for DATE_FIELD',
  });

const eventOrFilters = { event: event.optional(), filters: someFilters.optional() };
const isOneOf = (keys: readonly string[]) => (config: object) =>
  keys.filter((key) => (config as Record<string, unknown>)[key] !== undefined).length === 1;
const eitherOr = { message: 'needs either event or filters' };

const wait = z
  .strictObject({
    duration: seconds.optional(),
    amount: z.int().min(0).optional(),
    unit: word(['MINUTES', 'HOURS', 'DAYS', 'WEEKS']).optional(),
    fieldId: idText.optional(),
    offsetDays: offsetDays.optional(),
    timeOfDay: timeOfDay.optional(),
    weekdays: weekdays.optional(),
    timezone: timezone.optional(),
  })
  .superRefine((config, context) => {
    const { duration, amount, unit, fieldId, timeOfDay: time } = config;
    const forms = [duration, amount ?? unit, fieldId ?? time].filter((form) => form !== undefined);
    if (forms.length !== 1)
      context.addIssue(
        'needs one form: {duration}, {amount, unit}, {timeOfDay, weekdays?} or {fieldId, offsetDays, timeOfDay}',
      );
    else if ((amount === undefined) !== (unit === undefined)) context.addIssue('needs amount and unit together');
    else if (amount !== undefined && unit && amount * secondsOf[unit] > waitSecondsMax)
      context.addIssue({ code: 'custom', path: ['amount'], message: 'must not be more than one year' });
    else if (config.weekdays && (time === undefined || fieldId !== undefined))
      context.addIssue({ code: 'custom', path: ['weekdays'], message: 'is only for {timeOfDay, weekdays}' });
    else if (config.offsetDays !== undefined && fieldId === undefined)
      context.addIssue({
        code: 'custom',
        path: ['offsetDays'],
        message: 'is only for {fieldId, offsetDays, timeOfDay}',
      });
  });

/** Excludes headers that frame or route a request (RFC 9110 7.6.1, RFC 9112 6). */
const ofCaller =
  /^(?!(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$)/i;

const hasCredentials = (text: string): boolean => /^https?:[/\\]*[^/\\?#]*@/i.test(text.trim());

const action = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(['ADD_TAGS', 'REMOVE_TAGS']), tags: references }),
  z.strictObject({ kind: z.literal('SET_FIELD'), field: idText, value: fieldValues.valueType }),
  z.strictObject({ kind: z.literal('UNSUBSCRIBE'), reason: z.string().max(255).optional() }),
  z.strictObject({
    kind: z.literal(['ADD_TO_WORKFLOW', 'REMOVE_FROM_WORKFLOW']),
    workflowId: idText,
    stepId: z.string().max(64).optional(),
  }),
  z.strictObject({
    kind: z.literal('WEBHOOK'),
    url: z
      .url({ protocol: /^https?$/, message: 'must be an http or https address' })
      .max(2000)
      .refine(
        (url) => !hasCredentials(url),
        'must hold no user name or password; an Authorization header may say them',
      ),
    secret: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\x20-\x7e]*$/, 'must be ASCII, since it is sent as a header')
      .optional(),
    headers: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z0-9-]{1,64}$/, 'is no name of a header')
          .regex(ofCaller, 'is set by the program that sends the request'),
        z
          .string()
          .max(1000)
          .regex(/^[\t\x20-\x7e]*$/),
      )
      .optional(),
  }),
]);

const email = z.strictObject({
  campaignId: idText.optional(),
  subject: z.string().trim().min(1).max(998).optional(),
  preview: z.string().trim().max(998).nullish(),
  content: z.unknown().optional(),
  contentType: word(['MAILY', 'PLATE', 'MARKDOWN']).optional(),
  senderId: idText.nullish(),
  replyTo: z.union([emailText, z.literal(''), z.null()]).optional(),
});

const split = z
  .strictObject({
    branches: z
      .array(z.strictObject({ name: z.string().trim().min(1).max(64), weight: z.number().min(0).max(1_000_000) }))
      .min(1)
      .max(50),
  })
  .refine(({ branches }) => new Set(branches.map(({ name }) => name)).size === branches.length, {
    path: ['branches'],
    message: 'names a branch twice',
  })
  .refine(({ branches }) => branches.some(({ weight }) => weight > 0), {
    path: ['branches'],
    message: 'needs a weight above 0',
  });

export const configs = {
  TRIGGER: trigger,
  EMAIL: email,
  WAIT: wait,
  WAIT_UNTIL: z
    .strictObject({ ...eventOrFilters, timeout: seconds.optional() })
    .refine(isOneOf(['event', 'filters']), eitherOr),
  CONDITION: z.strictObject({ filters: someFilters }),
  SPLIT: split,
  ACTION: action,
  MOVE_TO_STEP: z.strictObject({ stepId: z.string().min(1) }),
  GOAL: z.strictObject(eventOrFilters).refine(isOneOf(['event', 'filters']), eitherOr),
  EXIT: z.strictObject({ reason: z.string().max(255).optional() }),
} as const;

/** Returns a config whose kind, if any, is in upper case as in the list. */
export function upperKind(config: unknown): unknown {
  const { kind } = (config ?? {}) as { kind?: unknown };
  return typeof kind === 'string' ? { ...(config as object), kind: kind.trim().toUpperCase() } : config;
}

export const settingsSchema = z.strictObject({
  reentry: z.enum(['ONCE', 'AFTER_FINISH', 'ALWAYS']).default('ONCE'),
  exitRules: z
    .array(z.strictObject(eventOrFilters).refine(isOneOf(['event', 'filters']), eitherOr))
    .max(50)
    .default([]),
  exitOnUnsubscribe: z.boolean().default(true),
  sendWindow: z
    .strictObject({ weekdays: weekdays.default([1, 2, 3, 4, 5, 6, 7]), from: timeOfDay, to: timeOfDay })
    .refine(({ from, to }) => from.padStart(5, '0') < to.padStart(5, '0'), {
      path: ['to'],
      message: 'must be later in the day than from',
    })
    .nullish(),
  timezone: timezone.nullish(),
});
export type Settings = z.output<typeof settingsSchema>;

export const goalSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .optional(),
    name: z.string().trim().min(1).max(255).optional(),
    ...eventOrFilters,
    withinDays: z.int().min(1).max(365).optional(),
  })
  .refine(isOneOf(['event', 'filters']), eitherOr);
export type SuccessGoal = z.output<typeof goalSchema> & { id: string; name: string };
