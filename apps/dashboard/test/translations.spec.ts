import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { untouchedBodies, untouchedSubjects } from '#content';
import { texts as german } from '../src/messages/de/all.js';
import { texts as french } from '../src/messages/fr/all.js';
import type { Message, Texts } from '../src/messages/text.js';

const folder = 'apps/dashboard/src/messages/en';

/** The English texts by noun, as the files hand them to `defineTexts`. */
function englishTexts(): Record<string, Record<string, Message>> {
  const found: Record<string, Record<string, Message>> = {};
  const defineTexts = (noun: string, texts: Record<string, Message>) => {
    found[noun] = texts;
    return () => '';
  };
  for (const file of readdirSync(folder)) {
    const { code } = transformSync(readFileSync(path.join(folder, file), 'utf8'), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    const run = new Function('exports', 'require', code) as (exports: object, require: () => object) => void;
    run({}, () => ({ defineTexts }));
  }
  return found;
}

const placeholders = (message: Message): string[] => {
  // Two braces are a merge field of a mail.
  const text = typeof message === 'string' ? message : `${message.one} ${message.other}`;
  return [...new Set(text.match(/(?<!\{)\{\w+\}(?!\})/g))].sort();
};

const english = englishTexts();

/** What a new mail begins with, which the check of a mail must know in each language. */
it.each<[string, Record<string, Record<string, Message>>]>([
  ['English', english],
  ['German', german],
  ['French', french],
])('the check of a mail knows the %s texts that a new one begins with', (_name, texts) => {
  expect(untouchedBodies).toContain(texts.steps!['mail.newBody']);
  expect(untouchedSubjects).toEqual(
    expect.arrayContaining([texts.steps!['mail.newSubject'], texts.newCampaign!.subject]),
  );
});

describe.each<[string, Texts]>([
  ['German', german],
  ['French', french],
])('the %s texts', (_name, texts) => {
  it('are there for each noun and key', () => {
    const { reasons, ...nouns } = texts;
    expect(Object.keys(nouns).sort()).toEqual(Object.keys(english).sort());
    for (const [noun, own] of Object.entries(nouns))
      expect([noun, Object.keys(own).sort()]).toEqual([noun, Object.keys(english[noun]!).sort()]);
    expect(Object.keys(reasons!).length).toBeGreaterThan(20);
  });

  it('have the values of the English ones', () => {
    const different = Object.entries(english).flatMap(([noun, own]) =>
      Object.entries(own).flatMap(([key, message]) => {
        const [wanted, given] = [placeholders(message), placeholders(texts[noun]![key]!)];
        // A singular may leave the number out.
        const isSame = JSON.stringify(wanted) === JSON.stringify(given);
        return isSame ? [] : [`${noun}.${key}: ${wanted.join()} / ${given.join()}`];
      }),
    );
    expect(different).toEqual([]);
  });

  it('translate sentences of reasons that there are, without values', async () => {
    const { reasons } = await import('#contracts');
    for (const [reason, text] of Object.entries(texts.reasons!)) {
      expect(Object.keys(reasons)).toContain(reason);
      expect(placeholders(text)).toEqual([]);
    }
  });
});
