import type { DocumentNode } from '#content';

export interface StoredSnippet {
  id: string;
  name: string;
  description: string | null;
  content: DocumentNode;
  archived: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export type SnippetText = Pick<StoredSnippet, 'name' | 'description' | 'content'>;

export const snippetVariable = (name: string): string => `{{snippet:${name}}}`;

export const snippetSummary = ({ id, name, description, archived, createdAt, updatedAt }: StoredSnippet) => ({
  id,
  name,
  description,
  archived,
  variable: snippetVariable(name),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const snippetAnswer = (snippet: StoredSnippet) => ({
  snippet: { ...snippetSummary(snippet), content: snippet.content },
  snippetId: snippet.id,
});
