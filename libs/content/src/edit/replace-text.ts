import type { DocumentNode } from '../document/document.js';

/** Attributes with an author's text, then those with addresses: text matches are preferred. */
const TEXT_ATTRIBUTES = [
  ...['text', 'alt', 'title', 'content', 'html', 'description', 'linkTitle', 'subTitle', 'badgeText', 'fallback'],
  ...['url', 'src', 'href', 'externalLink', 'link'],
];

interface TextPlace {
  text: string;
  replace(found: number[], length: number, by: string): void;
}

/** Exchanges parts of texts that read as one, in one pass: what replaces a part goes where the part begins. */
const exchange = (texts: string[], found: number[], length: number, by: string): string[] => {
  let end = 0;
  let next = 0;
  return texts.map((text) => {
    const begin = end;
    end += text.length;
    const kept: string[] = [];
    let from = begin;
    for (; next < found.length && found[next]! < end; next += 1) {
      const start = found[next]!;
      if (start >= begin) kept.push(text.slice(from - begin, start - begin), by);
      from = Math.min(start + length, end);
      if (start + length > end) break;
    }
    return kept.join('') + text.slice(from - begin);
  });
};

const attributePlaces = (attrs: Record<string, unknown> | undefined): TextPlace[] =>
  TEXT_ATTRIBUTES.flatMap((name): TextPlace[] => {
    const value = attrs?.[name];
    if (attrs === undefined || typeof value !== 'string') return [];
    return [{ text: value, replace: (...change) => ([attrs[name]] = exchange([value], ...change)) }];
  });

/** Neighbouring text nodes read as one, so that a search finds words of which only some are bold. */
const runPlace = (run: DocumentNode[]): TextPlace => {
  const texts = run.map(({ text }) => text ?? '');
  return {
    text: texts.join(''),
    replace: (...change) => {
      for (const [index, text] of exchange(texts, ...change).entries()) run[index]!.text = text;
    },
  };
};

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

/** Editors write invisible no-break spaces that authors cannot type; a space matches them. */
const spaced = (text: string): string => text.replace(/[\u00a0\u202f]/gu, ' ');

const matchesOf = (written: string, wanted: string, limit: number): number[] => {
  const [text, search] = [spaced(written), spaced(wanted)];
  const found: number[] = [];
  for (let at = text.indexOf(search); at >= 0 && found.length < limit; at = text.indexOf(search, at + search.length))
    found.push(at);
  return found;
};

const dropEmpty = (node: DocumentNode): void => {
  if (!node.content) return;
  node.content = node.content.filter((child) => child.type !== 'text' || child.text !== '');
  node.content.forEach(dropEmpty);
};

interface Found<C> {
  matched: number;
  texts: string[];
  length: number;
  replace(by: string): C;
}

export const findInDocument = (document: DocumentNode, search: string, all: boolean): Found<DocumentNode> => {
  const places = placesOf(document);
  let matched = 0;
  const matches = places.map(({ text }) => {
    const found = matchesOf(text, search, all ? Infinity : 1 - matched);
    matched += found.length;
    return found;
  });
  const texts = places.map(({ text }) => text);
  return {
    matched,
    texts,
    length: texts.reduce((sum, text) => sum + text.length, 0),
    replace: (by) => {
      places.forEach((place, index) => place.replace(matches[index]!, search.length, by));
      dropEmpty(document);
      return document;
    },
  };
};

export const findInText = (text: string, search: string, all: boolean): Found<string> => {
  const found = matchesOf(text, search, all ? Infinity : 1);
  return {
    matched: found.length,
    texts: [text],
    length: text.length,
    replace: (by) => exchange([text], found, search.length, by)[0]!,
  };
};
