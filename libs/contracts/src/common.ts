import { z } from 'zod';

/** Ids in parameters are free strings: a malformed one is answered like an unknown one. */
export const idText = z.string().trim().min(1).max(320);
/** ISO 8601 in UTC with milliseconds, as every timestamp on the wire. */
export const timestamp = z.iso.datetime({
  precision: 3,
  error: 'must be a date or time of ISO 8601, such as 2026-05-01T09:30:00.000Z',
});
export const pageSize = (max: number, byDefault: number) => z.int().min(1).max(max).default(byDefault);
/** Where the next page starts; null at the end. */
export const nextCursor = z.string().nullable();

export const subscriberStatuses = [
  'PENDING_CONFIRMATION',
  'SUBSCRIBED',
  'UNSUBSCRIBED',
  'BOUNCED',
  'BANNED',
  'COMPLAINED',
  'TRANSACTIONAL',
] as const;
export type SubscriberStatus = (typeof subscriberStatuses)[number];
export const subscriberStatus = z.enum(subscriberStatuses);

/** One filter, `{type, field, operator, …value fields}` or a GROUP. */
export const filter = z.looseObject({
  type: z
    .string()
    .min(1)
    .max(20)
    .describe('STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP'),
  field: z.string().max(255).optional(),
  operator: z.string().max(40).optional(),
});
export type Filter = z.infer<typeof filter>;
/** A list of filters is ANDed; an empty one matches every subscriber. */
export const filters = z.array(filter).max(100);

export const tagReference = z.object({ id: z.string(), name: z.string() });

/** Invisible marks: joiners and directions have a meaning within a text, and none at its ends. */
const unseen = '\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff';
const unseenEnds = new RegExp(`^[\\s${unseen}]+|[\\s${unseen}]+$`, 'gu');

/**
 * Returns a text as one line without control characters and without invisible marks at its ends, which pasted lists
 * carry. Plain text is tested for first, since the classes of characters cost more than the rest of an import's row.
 */
export const oneLine = (text: string): string =>
  /^[ -~]*$/.test(text)
    ? text.trim()
    : text
        .replace(/[\t\r\n]+/g, ' ')
        .replace(/[\p{Cc}\p{Cs}\u200b\u2060\ufeff]/gu, '')
        .replace(unseenEnds, '')
        .normalize('NFC');

/**
 * Tag: one line, trimmed, 1–64 characters, no comma or brace (they separate names in tag links and variables). An id in its
 * place would make a tag of that name, beside the one that was meant.
 */
export const tagName = z
  .string()
  .overwrite(oneLine)
  .min(1)
  .max(64)
  .regex(/^[^,{}]*$/, 'must not contain a comma or a brace')
  .refine(
    (name) => !/^tag_[0-9a-z]{26}$/.test(name),
    'must be the name of a tag, not an id; list_tags returns names and ids',
  );

/** Custom field: trimmed; which names are taken is decided by the service. */
export const fieldName = z.string().trim().min(1).max(255);

/** An address as typed; the service decides whether it is valid, so that the message can say why not. */
export const emailText = z.string().trim().min(1).max(320);

export const oneAddress = 'must be a single address: text, or a list of one';

/** Values of custom fields by field name: text, number or boolean, null clears. */
export const fieldValues = z.record(
  z.string().min(1).max(255),
  z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()], {
    error: 'must be text of at most 10000 characters, a number, true, false or null',
  }),
);

const reservedFieldNames = new Set(
  [
    ...['id', 'email', 'name', 'firstName', 'lastName', 'phone', 'status', 'tags', 'fields', 'customFields', 'country'],
    ...['ipAddress', 'createdAt', 'updatedAt', 'revenue', 'emailCount', 'openCount', 'clickCount', 'unsubscribeUrl'],
    ...['preferencesUrl', 'onlineUrl', 'confirmUrl', 'currentYear'],
  ].map((name) => name.toLowerCase()),
);

/**
 * Whether a name, in any case, has a fixed meaning in tools, templates and links and is not allowed for a custom field.
 */
export const isReservedFieldName = (name: string): boolean => {
  const key = name.trim().toLowerCase();
  return reservedFieldNames.has(key) || key.startsWith('org-') || key.startsWith('snp_');
};

export const warnings = z.array(z.string());
