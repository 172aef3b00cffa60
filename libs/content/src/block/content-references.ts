import type { BlockVisitor } from './block-walk.js';
import { visit } from './block-walk.js';
import type { Block } from './block.js';
import type { Content, ContentType, DocumentNode, Path, ShowIfFilter, Snippet } from '../document/document.js';
import { isUnsubscribeTarget } from '../variable/link-target.js';
import { BlockReader } from './read-blocks.js';
import { snippetLookup } from './snippet-lookup.js';
import { isVariable, splitText, writeVariable } from '../variable/variable.js';
import type { Text } from '../variable/variable.js';

/** An image of the content in document order; `path` leads to its node (for MARKDOWN: empty). */
export interface ImageReference {
  path: Path;
  src: string;
  alt: string;
  width: number | null;
  height: number | null;
}

export interface ContentReferences {
  /** Snippets by id or name, as written. */
  snippets: string[];
  /** Variables in the renderer's spelling, in order of appearance. */
  variables: string[];
  showIf: ShowIfFilter[][];
  images: ImageReference[];
}

const readable = (text: Text): string =>
  text.map((part) => (typeof part === 'string' ? part : writeVariable(part))).join('');

const variableCallbacks = (note: (name: string) => void): BlockVisitor => {
  const all = (text: Text): void => text.filter(isVariable).forEach(({ variable }) => note(variable));
  return {
    text: all,
    link: ({ parts }) => all(parts),
    condition: ({ variable }) => {
      if (variable !== null) note(variable);
    },
  };
};

export const variablesOf = (blocks: Block[]): string[] => {
  const names = new Map<string, string>();
  visit(
    blocks,
    false,
    variableCallbacks((name) => names.set(name.toLowerCase(), names.get(name.toLowerCase()) ?? name)),
  );
  return [...names.values()];
};

/** Lists what content refers to, itself, not through its snippets. */
export const contentReferences = (type: ContentType, content: Content): ContentReferences => {
  const snippets = new Set<string>();
  const reader = new BlockReader((reference) => {
    snippets.add(reference);
    return null;
  });
  const blocks = reader.content(type, content);
  const showIf = new Map<string, ShowIfFilter[]>();
  const images: ImageReference[] = [];
  visit(blocks, false, {
    condition: ({ filters }) => {
      if (filters !== null) showIf.set(JSON.stringify(filters), filters);
    },
    picture: ({ src, alt, width, height }, path) =>
      images.push({ path, src: readable(src.parts), alt: readable(alt), width, height }),
  });
  return { snippets: [...snippets], variables: variablesOf(blocks), showIf: [...showIf.values()], images };
};

export const textReferences = (written: string): Pick<ContentReferences, 'snippets' | 'variables'> => {
  const parts = splitText(written).filter((part) => typeof part === 'object');
  return {
    snippets: [...new Set(parts.flatMap((part) => ('snippet' in part ? [part.snippet] : [])))],
    variables: [...new Set(parts.flatMap((part) => ('variable' in part ? [part.variable] : [])))],
  };
};

/**
 * Whether the author's content links to `{{unsubscribeUrl}}`, footer nodes and snippets included. A link in a
 * conditional block counts too; compileMail then adds the organization's own link.
 */
export const hasUnsubscribeLink = (
  type: ContentType,
  content: Content,
  snippets: Record<string, Snippet> = {},
): boolean => hasUnsubscribe(new BlockReader(snippetLookup(snippets)).content(type, content), true);

/** The same for blocks; `conditional`: whether a link that only some see is enough. */
export const hasUnsubscribe = (blocks: Block[], conditional: boolean): boolean => {
  let found = false;
  visit(blocks, false, {
    link: (target, _path, hidden) => {
      found ||= isUnsubscribeTarget(target) && (conditional || !hidden);
    },
  });
  return found;
};

export const defaultContent = (): DocumentNode => ({
  type: 'doc',
  content: [
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'Hi ' },
        { type: 'variable', attrs: { id: 'firstName', fallback: 'there' } },
        { type: 'text', text: ',' },
      ],
    },
    { type: 'paragraph', content: [{ type: 'text', text: 'Write your message here.' }] },
    {
      type: 'footer',
      content: [
        { type: 'text', text: 'You receive this email because you subscribed. ' },
        {
          type: 'text',
          text: 'Unsubscribe',
          marks: [{ type: 'link', attrs: { href: '{{unsubscribeUrl}}' } }],
        },
      ],
    },
  ],
});
