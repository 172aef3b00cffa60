import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { reasons } from '#contracts';
import type { Reason } from '#contracts';
import { formerSettings } from '#service-host';
import { sentenceOf } from './harness/call-reference.js';
import { otherSettings, settings } from './harness/configuration-reference.js';
import { metricsByOwner } from './harness/operations-reference.js';

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .map((name) => join(folder, name));
const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!);

const known = new Set([
  ...settings().keys(),
  ...formerSettings,
  ...Object.values(otherSettings).flatMap((one) => Object.keys(one)),
]);
/** Settings of the images of PostgreSQL and NATS, of the shell, and variables that examples set for themselves. */
const foreign = new Set(['POSTGRES_DB', 'POSTGRES_USER', 'POSTGRES_INITDB_ARGS', 'PGDATA', 'POD_NAME']);
const unknown = (names: readonly string[]) => names.filter((name) => !known.has(name) && !foreign.has(name));

describe('the reference of settings', () => {
  const page = readFileSync('docs/reference/configuration.md', 'utf8');

  it('has a sentence for every key of a schema', () => {
    expect(settings().size).toBeGreaterThan(50);
    for (const [name, { meaning }] of settings()) {
      expect(page).toContain(`| \`${name}\` |`);
      expect([name, meaning]).toEqual([name, expect.stringMatching(/^.{10,}[.`]$/)]);
    }
  });

  it('contains every setting of the compose file', () => {
    const text = readFileSync('docker-compose.yml', 'utf8');
    const names = [...namesIn(text, /\$\{([A-Z][A-Z0-9_]+)/g), ...namesIn(text, /^ {2,6}([A-Z][A-Z0-9_]+):/gm)];
    expect(names.length).toBeGreaterThan(40);
    expect(unknown(names)).toEqual([]);
  });

  it('contains every setting of the manifests', () => {
    const names = ['base', 'components', 'overlays']
      .flatMap((folder) => filesIn(join('k8s', folder), '.yaml'))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8');
        return [
          ...namesIn(text, /- name: ['"]?([A-Z][A-Z0-9_]+)/g),
          ...namesIn(text, /^\s+(?:- )?([A-Z][A-Z0-9_]+)[:=]/gm),
        ];
      });
    expect(names.length).toBeGreaterThan(20);
    expect(unknown(names)).toEqual([]);
  });

  it('contains every setting in a table of the docs', () => {
    const tables = ['README.md', ...filesIn('docs', '.md')].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^\| (?:variable|setting) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gim)].map(
        ([, rows]) => rows!,
      ),
    );
    const names = tables.flatMap((rows) =>
      rows.split('\n').flatMap((row) => namesIn(row.split('|')[1] ?? '', /`([A-Z][A-Z0-9_]+)`/g)),
    );
    expect(names.length).toBeGreaterThan(50);
    expect(unknown(names)).toEqual([]);
  });
});

describe('the reference of metrics', () => {
  it('has every metric that the code declares', () => {
    const names = new Set([...metricsByOwner().values()].flat().map(({ name }) => name));
    const declared = ['apps', 'libs']
      .flatMap((folder) => filesIn(folder, '.ts'))
      .filter((file) => file.includes('/src/') && !file.endsWith('.spec.ts'))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8');
        return /registry|Gauge|Counter/.test(text)
          ? namesIn(text, /(?:name: '|[\s{])(tidings_[a-z_]+)(?:'|: (?:'|\{ ?help|by))/g)
          : [];
      });
    expect(declared.length).toBeGreaterThan(30);
    expect(declared.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has a sentence for every metric', () => {
    for (const { name, help } of [...metricsByOwner().values()].flat())
      expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].{8,}$/)]);
  });
});

describe('the reference of errors', () => {
  it.each(Object.keys(reasons) as Reason[])('shows %s with the names of its parameters', (reason) => {
    expect(sentenceOf(reason)).not.toMatch(/undefined|NaN|\[object|=>/);
  });
});
