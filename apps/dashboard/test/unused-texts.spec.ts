import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

const folder = 'apps/dashboard/src';

interface Node {
  type: string;
  [part: string]: unknown;
}

/** A text catalogue: the function that returns its texts, and their keys. */
interface Catalogue {
  name: string;
  keys: string[];
}

/** What a file says about keys. */
interface Source {
  strings: Set<string>;
  /** Names of properties, such as those of screens by name. */
  properties: Set<string>;
  /** Of template literals, with anything in place of each expression. */
  patterns: RegExp[];
  names: Set<string>;
  /** Functions that are passed on, or called with what the file does not spell out. */
  passed: Set<string>;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function walk(value: unknown, visit: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, visit, parent);
  } else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) visit(value, parent);
    const next = isNode(value) ? value : parent;
    for (const part of Object.values(value)) walk(part, visit, next);
  }
}

const parse = (file: string) =>
  parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2022' });

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @returns null for a template that fits every key */
function patternOf(node: Node): RegExp | null {
  const texts = (node.quasis as { raw: string }[]).map(({ raw }) => raw);
  return texts.every((text) => text === '') ? null : new RegExp(`^${texts.map(escaped).join('.*')}$`);
}

function sourceOf(file: string): Source {
  const source: Source = {
    strings: new Set(),
    properties: new Set(),
    patterns: [],
    names: new Set(),
    passed: new Set(),
  };
  walk(parse(file), (node, parent) => {
    if (node.type === 'StringLiteral') source.strings.add(node.value as string);
    if (node.type === 'KeyValueProperty' && isNode(node.key)) source.properties.add(node.key.value as string);
    const pattern = node.type === 'TemplateLiteral' ? patternOf(node) : null;
    if (pattern) source.patterns.push(pattern);
    if (node.type !== 'Identifier' || parent?.type.startsWith('Import')) return;
    source.names.add(node.value as string);
    const isCallee = parent?.type === 'CallExpression' && parent.callee === node;
    const argument = isCallee ? (parent.arguments as { expression: Node }[])[0]?.expression : undefined;
    const isDynamic =
      argument?.type === 'Identifier' || argument?.type === 'MemberExpression' || argument?.type === 'CallExpression';
    if (!isCallee || isDynamic) source.passed.add(node.value as string);
  });
  return source;
}

function cataloguesOf(file: string): Catalogue[] {
  const found: Catalogue[] = [];
  walk(parse(file), (node) => {
    if (node.type !== 'ExportDeclaration') return;
    walk(node, (inner) => {
      if (inner.type !== 'VariableDeclarator' || !isNode(inner.init) || inner.init.type !== 'CallExpression') return;
      const { callee, arguments: given } = inner.init as unknown as { callee: Node; arguments: { expression: Node }[] };
      if (callee.value !== 'defineTexts') return;
      // Words for names of the API stand in an object of their own; which of them are met is the API's.
      const properties = given[1]!.expression.properties as { key: { value: string } }[] | undefined;
      if (!properties) return;
      const keys = properties.map(({ key }) => key.value);
      found.push({ name: (inner.id as Node).value as string, keys });
    });
  });
  return found;
}

/** The texts that no source names. A function that a file passes on may get its key anywhere. */
function unusedOf({ name, keys }: Catalogue, sources: readonly Source[]): string[] {
  const own = sources.filter(({ names }) => names.has(name));
  const isPassed = own.some(({ passed }) => passed.has(name));
  const isNamed = (key: string) =>
    isPassed
      ? sources.some(({ strings, properties }) => strings.has(key) || properties.has(key))
      : own.some(({ strings }) => strings.has(key));
  return keys.filter((key) => !isNamed(key) && !own.some(({ patterns }) => patterns.some((one) => one.test(key))));
}

const isCatalogue = (file: string): boolean => file.includes('/messages/en/');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file))
  .map((file) => path.posix.join(folder, file));
const catalogues = files.filter(isCatalogue).flatMap(cataloguesOf);

describe('the texts', () => {
  it('are each used by something', () => {
    const sources = files.filter((file) => !isCatalogue(file)).map(sourceOf);
    expect(catalogues.length).toBeGreaterThan(20);
    const unused = catalogues.flatMap((one) => unusedOf(one, sources).map((key) => `${one.name}('${key}')`));
    expect(unused).toEqual([]);
  });

  it('count as unused when only another catalogue names their key', () => {
    const source = {
      strings: new Set(['title']),
      properties: new Set<string>(),
      patterns: [/^state\..*$/],
      names: new Set(['aText']),
      passed: new Set<string>(),
    };
    const keys = ['title', 'state.ON', 'lead'];
    expect(unusedOf({ name: 'aText', keys }, [source])).toEqual(['lead']);
    expect(unusedOf({ name: 'bText', keys }, [source])).toEqual(keys);
  });
});
