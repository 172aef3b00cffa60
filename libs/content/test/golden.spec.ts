import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { parse } from 'parse5';
import type { DefaultTreeAdapterMap } from 'parse5';
import { compileMail, parseContent, renderMail } from '../src/index.js';
import type { CompileInput, RenderInput } from '../src/index.js';
import { ELEMENTS, INLINE_STYLES } from './client-support.js';
import { dangersOf, elementsOf as flatElementsOf } from './inspect-html.js';

/** `npm test` with UPDATE_GOLDEN=1 rewrites the expected files; check the difference before committing it. */
const update = process.env.UPDATE_GOLDEN === '1';
const folder = new URL('./golden/', import.meta.url);

interface GoldenCase {
  input: Omit<CompileInput, 'content'> & { content: unknown };
  render: Partial<Omit<RenderInput, 'track'>> & { track?: boolean; pixel?: boolean };
}

const render = (name: string): { html: string; text: string } => {
  const { input, render } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as GoldenCase;
  const parsed = parseContent(input.type, input.content);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { template } = compileMail({ ...input, content: parsed.content });
  const { track, pixel, ...rest } = render;
  const mail = renderMail(JSON.parse(JSON.stringify(template)) as typeof template, {
    values: {},
    currentYear: 2026,
    ...rest,
    links: {
      unsubscribeUrl: 'https://mail.example.com/u/token',
      preferencesUrl: 'https://mail.example.com/p/token',
      onlineUrl: 'https://mail.example.com/v/token',
    },
    ...(track
      ? {
          track: (target, link, tag) =>
            `https://mail.example.com/c/${link}?${new URLSearchParams({ target, ...(tag ? { tag: JSON.stringify(tag) } : {}) }).toString()}`,
        }
      : {}),
    ...(pixel ? { pixelUrl: 'https://mail.example.com/o/token' } : {}),
  });
  const preview = mail.preview === null ? '' : `Preview: ${mail.preview}\n`;
  return { html: mail.html, text: `Subject: ${mail.subject}\n${preview}\n${mail.text}` };
};

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

type Node = DefaultTreeAdapterMap['node'];

/** Nesting as the parser understood it, without the `tbody` that it adds. */
const elementsOf = (node: Node, depth = 0): string[] => {
  const own = 'tagName' in node && node.tagName !== 'tbody' ? [`${depth} ${node.tagName}`] : [];
  const children = 'childNodes' in node ? node.childNodes : [];
  return [...own, ...children.flatMap((child) => elementsOf(child, depth + own.length))];
};

const VOID = new Set(['meta', 'img', 'br', 'hr', 'col', 'wbr']);

/** Nesting as it was written: a tag that closes nothing, or a parser that moves elements, makes the two differ. */
const tagsOf = (html: string): string[] => {
  const open: string[] = [];
  const tags: string[] = [];
  for (const [, closing, name] of html.replace(/<!--[\s\S]*?-->/gu, '').matchAll(/<(\/?)([a-z][a-z\d]*)/gu)) {
    if (name === 'tbody') continue;
    if (closing) expect(open.pop()).toBe(name);
    else {
      tags.push(`${open.length} ${name}`);
      if (!VOID.has(name!)) open.push(name!);
    }
  }
  expect(open).toEqual([]);
  return tags;
};

describe('golden mails', () => {
  it.each(names)('%s renders as before', (name) => {
    const { html, text } = render(name);
    for (const [extension, actual] of [
      ['html', html],
      ['txt', text],
    ] as const) {
      const file = new URL(`${name}.${extension}`, folder);
      if (update) writeFileSync(file, actual);
      expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(actual);
    }
  });

  it.each(names)('%s is well-formed to an independent parser', (name) => {
    const { html } = render(name);
    const errors: string[] = [];
    const tree = parse(html, {
      sourceCodeLocationInfo: true,
      onParseError: ({ code, startLine, startCol }) => errors.push(`${code} at ${startLine}:${startCol}`),
    });
    expect(errors).toEqual([]);
    expect(elementsOf(tree)).toEqual(tagsOf(html));
  });

  /** Markdown and html nodes bring elements and styles of their authors. */
  const ours = names.filter((name) => !/html|markdown|hostile/u.test(name));

  it.each(ours)('%s is built of what mail clients support', (name) => {
    for (const { tag, attributes } of flatElementsOf(render(name).html)) {
      if (tag === 'tbody') continue;
      expect(ELEMENTS).toContain(tag);
      for (const declaration of (attributes.style ?? '').split(';').filter(Boolean)) {
        expect(Object.keys(INLINE_STYLES)).toContain(declaration.split(':')[0]);
      }
      if (tag === 'table' && attributes.role === undefined) expect(name).toMatch(/table|receipt|plate/u);
      if (tag === 'img') expect(attributes.alt).toBeDefined();
    }
  });

  it.each(names)('%s holds nothing that runs, loads or submits', (name) => {
    expect(dangersOf(render(name).html)).toEqual([]);
  });
});
