import type { DocumentNode } from './document.js';

/** Attributes in which an author's words and addresses stand. */
const TEXT_ATTRIBUTES = [
  'text',
  'url',
  'src',
  'alt',
  'title',
  'href',
  'externalLink',
  'content',
  'html',
  'description',
  'link',
  'linkTitle',
  'subTitle',
  'badgeText',
  'fallback',
];

/** A place that holds text: how it reads, and how a part of it is exchanged. */
interface TextPlace {
  text: string;
  replace(start: number, end: number, by: string): void;
}

const attributePlaces = (attrs: Record<string, unknown> | undefined): TextPlace[] =>
  TEXT_ATTRIBUTES.flatMap((name): TextPlace[] => {
    const value = attrs?.[name];
    if (attrs === undefined || typeof value !== 'string') return [];
    return [
      {
        text: value,
        replace: (start, end, by) => {
          const now = attrs[name] as string;
          attrs[name] = now.slice(0, start) + by + now.slice(end);
        },
      },
    ];
  });

/** Neighbouring text nodes read as one, so that a search finds words of which only some are bold. */
const runPlace = (run: DocumentNode[]): TextPlace => ({
  text: run.map(({ text }) => text ?? '').join(''),
  replace: (start, end, by) => {
    let at = 0;
    let rest = by;
    for (const node of run) {
      const text = node.text ?? '';
      const [from, to] = [Math.max(start - at, 0), Math.min(end - at, text.length)];
      at += text.length;
      if (from >= text.length || to <= 0) continue;
      node.text = text.slice(0, from) + rest + text.slice(to);
      rest = '';
    }
  },
});

/** The places of a document in reading order. */
const placesOf = (node: DocumentNode): TextPlace[] => {
  const places = attributePlaces(node.attrs);
  let run: DocumentNode[] = [];
  const flush = (): void => {
    if (run.length > 0) places.push(runPlace(run));
    run = [];
  };
  for (const child of node.content ?? []) {
    if (child.type === 'text') run.push(child);
    else {
      flush();
      places.push(...placesOf(child));
    }
  }
  flush();
  for (const child of node.content ?? [])
    for (const mark of child.marks ?? []) places.push(...attributePlaces(mark.attrs));
  return places;
};

const matchesOf = (text: string, search: string, limit: number): number[] => {
  const found: number[] = [];
  for (let at = text.indexOf(search); at >= 0 && found.length < limit; at = text.indexOf(search, at + search.length))
    found.push(at);
  return found;
};

/** Text nodes that a replacement has emptied are none. */
const dropEmpty = (node: DocumentNode): void => {
  if (!node.content) return;
  node.content = node.content.filter((child) => child.type !== 'text' || child.text !== '');
  node.content.forEach(dropEmpty);
};

/** Replaces text in a document in place, the first occurrence or all; answers how many were replaced. */
export const replaceInDocument = (document: DocumentNode, search: string, by: string, all: boolean): number => {
  let replaced = 0;
  for (const place of placesOf(document)) {
    const found = matchesOf(place.text, search, all ? Infinity : 1 - replaced);
    for (const at of found.reverse()) place.replace(at, at + search.length, by);
    replaced += found.length;
    if (!all && replaced > 0) break;
  }
  if (replaced > 0) dropEmpty(document);
  return replaced;
};

/** All texts of a document, for telling which comes nearest to one that was not found. */
export const textsOfDocument = (document: DocumentNode): string[] => placesOf(document).map(({ text }) => text);
