import type { Snippet } from '../document/document.js';

/** Finds a snippet by id or by name, names in any case; null when there is none. */
export type SnippetLookup = (reference: string) => Snippet | null;

export const snippetLookup = (snippets: Record<string, Snippet>): SnippetLookup => {
  const byName = new Map(Object.values(snippets).map((snippet) => [snippet.name.trim().toLowerCase(), snippet]));
  return (reference) =>
    (Object.hasOwn(snippets, reference) ? snippets[reference] : byName.get(reference.trim().toLowerCase())) ?? null;
};
