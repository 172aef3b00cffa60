import type { Campaign } from './campaign-status.js';

export interface Draft {
  name: string;
  subject: string;
  preview: string;
  contentType: Campaign['contentType'];
  content: unknown;
  senderId: string | null;
  replyTo: string;
}

export const draftOf = (campaign: Campaign): Draft => ({
  name: campaign.name,
  subject: campaign.subject,
  preview: campaign.preview ?? '',
  contentType: campaign.contentType,
  content: campaign.content,
  senderId: campaign.senderId,
  replyTo: campaign.replyTo ?? '',
});

const draftKeys = ['name', 'subject', 'preview', 'contentType', 'content', 'senderId', 'replyTo'] as const;

const written = new WeakMap<object, string>();

/** A value as JSON; documents, which are large and never change in place, are written once. */
function jsonOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const json = written.get(value) ?? JSON.stringify(value);
  written.set(value, json);
  return json;
}

export const changedKeys = (one: Draft, other: Draft): (keyof Draft)[] =>
  draftKeys.filter((key) => one[key] !== other[key] && jsonOf(one[key]) !== jsonOf(other[key]));

/** What was changed since `base`, as `edit_campaign` takes it. Fields that cannot be saved yet are left out. */
export function changesOf(base: Draft, draft: Draft) {
  const changed = changedKeys(base, draft);
  const isNew = (key: keyof Draft) => changed.includes(key);
  const isBodyNew = isNew('content') || isNew('contentType');
  return {
    ...(isNew('name') && draft.name.trim() !== '' && { name: draft.name }),
    ...(isNew('subject') && draft.subject.trim() !== '' && { subject: draft.subject }),
    ...(isNew('preview') && { preview: draft.preview.trim() === '' ? null : draft.preview }),
    ...(isBodyNew && { content: draft.content, contentType: draft.contentType }),
    ...(isNew('senderId') && draft.senderId !== null && { senderId: draft.senderId }),
    ...(isNew('replyTo') && isAddressOrEmpty(draft.replyTo) && { replyTo: draft.replyTo.trim() || null }),
  };
}

/** A part of a draft that an author chooses as a whole: a content goes with its type. */
export type ComparedKey = Exclude<keyof Draft, 'contentType'>;

const comparedOf = (one: Draft, other: Draft): Set<ComparedKey> =>
  new Set(changedKeys(one, other).map((key) => (key === 'contentType' ? 'content' : key)));

/**
 * The parts in which two drafts of the same version differ.
 * @returns each with the side that alone changed it; `mine` where both did
 */
export function comparedKeys(base: Draft, mine: Draft, theirs: Draft): { key: ComparedKey; side: 'mine' | 'theirs' }[] {
  const own = comparedOf(base, mine);
  return [...comparedOf(mine, theirs)].map((key) => ({ key, side: own.has(key) ? 'mine' : 'theirs' }));
}

/** The draft that takes each part from the chosen side. */
export function mergeDrafts(mine: Draft, theirs: Draft, sides: Partial<Record<ComparedKey, 'mine' | 'theirs'>>): Draft {
  const taken = (Object.keys(sides) as ComparedKey[]).filter((key) => sides[key] === 'theirs');
  return {
    ...mine,
    ...Object.fromEntries(taken.map((key) => [key, theirs[key]])),
    ...(taken.includes('content') && { contentType: theirs.contentType }),
  };
}

export type Changes = ReturnType<typeof changesOf>;

/** A rough look while one types; the API checks addresses. */
export const isAddressOrEmpty = (text: string): boolean => text.trim() === '' || /^\S+@\S+\.\S+$/u.test(text.trim());
