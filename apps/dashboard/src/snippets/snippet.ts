import type { ToolData } from '#client';

export type Snippet = ToolData<'get_email_snippet'>['snippet'];

export interface SnippetDraft {
  name: string;
  description: string;
  content: unknown;
}

export type SnippetKey = keyof SnippetDraft;

export const emptyDraft: SnippetDraft = {
  name: '',
  description: '',
  content: { type: 'doc', content: [{ type: 'paragraph' }] },
};

/** A document without a block cannot be edited: it gets an empty paragraph. */
const editable = (content: unknown): unknown =>
  (content as { content?: unknown[] } | null)?.content?.length ? content : emptyDraft.content;

export const draftOf = ({ name, description, content }: Snippet): SnippetDraft => ({
  name,
  description: description ?? '',
  content: editable(content),
});

/** The parts in which two versions differ. */
export const differingKeys = (one: SnippetDraft, other: SnippetDraft): SnippetKey[] =>
  (['name', 'description', 'content'] as const).filter(
    (key) => one[key] !== other[key] && JSON.stringify(one[key]) !== JSON.stringify(other[key]),
  );

/** What was changed since `base`, as `update_email_snippet` takes it. */
export const changesOf = (base: SnippetDraft, draft: SnippetDraft): Partial<SnippetDraft> =>
  Object.fromEntries(differingKeys(base, draft).map((key) => [key, draft[key]]));

/** The parts in which two versions of `base` differ, each with the side that alone changed it; `mine` where both did. */
export const comparedKeys = (base: SnippetDraft, mine: SnippetDraft, theirs: SnippetDraft) =>
  differingKeys(mine, theirs).map((key) => ({
    key,
    side: differingKeys(base, mine).includes(key) ? ('mine' as const) : ('theirs' as const),
  }));

/** The draft that takes each part from the chosen side. */
export const mergeDrafts = (
  mine: SnippetDraft,
  theirs: SnippetDraft,
  sides: Partial<Record<SnippetKey, 'mine' | 'theirs'>>,
): SnippetDraft => ({
  ...mine,
  ...Object.fromEntries(
    (Object.keys(sides) as SnippetKey[]).filter((key) => sides[key] === 'theirs').map((key) => [key, theirs[key]]),
  ),
});
