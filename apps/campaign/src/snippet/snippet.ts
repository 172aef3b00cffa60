import type { DocumentNode } from '#content';

/** A piece of content that many campaigns share. */
export interface StoredSnippet {
  id: string;
  name: string;
  description: string | null;
  content: DocumentNode;
  archived: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** The part of a snippet that its author writes. */
export type SnippetText = Pick<StoredSnippet, 'name' | 'description' | 'content'>;

export const snippetVariable = (name: string): string => `{{snippet:${name}}}`;

/** A snippet in the results of list tools. */
export const snippetSummary = ({ id, name, description, archived, createdAt, updatedAt }: StoredSnippet) => ({
  id,
  name,
  description,
  archived,
  variable: snippetVariable(name),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** A snippet in the results of tools, its id beside it. */
export const snippetAnswer = (snippet: StoredSnippet) => ({
  snippet: { ...snippetSummary(snippet), content: snippet.content },
  snippetId: snippet.id,
});
