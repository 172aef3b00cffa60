import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { catalogue } from '#contracts';
import { ToolSearch } from './tool-search.js';

/** Written from the names of the tools alone, before any tool had keywords, though by the author of these. */
const sentences = JSON.parse(readFileSync('test/data/tool-sentences.json', 'utf8')) as {
  sentence: string;
  tool: string;
}[];
const names = [...catalogue.keys()];
const search = new ToolSearch(catalogue.values());

describe('the search for tools', () => {
  it('has the right tool among five for 95 of 100 sentences in words of people without our nouns', () => {
    const missed = sentences.filter(({ sentence, tool }) => !search.find(sentence, names, 5).includes(tool));
    const hits = sentences.length - missed.length;
    process.stdout.write(`Tools found among five: ${hits} of ${sentences.length}\n`);
    expect(sentences.length).toBeGreaterThanOrEqual(200);
    expect({ missed, enough: hits / sentences.length >= 0.95 }).toEqual({ missed, enough: true });
  });

  it('has a sentence of each tool that the API text names', () => {
    const served = JSON.parse(readFileSync('test/data/spec-tools.json', 'utf8')) as { name: string }[];
    const covered = new Set(sentences.map(({ tool }) => tool));
    expect(served.filter(({ name }) => !covered.has(name))).toEqual([]);
  });

  it('has at least three keywords of each tool', () => {
    const poor = [...catalogue.values()].filter(({ contract }) => contract.keywords.split(',').length < 3);
    expect(poor.map(({ name }) => name)).toEqual([]);
  });

  it.each(names)('finds %s first by its own name', (name) => {
    expect(search.find(name, names, 1)).toEqual([name]);
    expect(search.find(name.replaceAll('_', ' '), names, 1)).toEqual([name]);
  });

  it.each([
    ['earlier newsleter versions', 'list_campaign_history'],
    ['UNSUBSCRIBING SOMEONE', 'unsubscribe'],
    ['éxports', 'list_subscriber_exports'],
  ])('reads "%s" in spite of slips, case, accents and endings', (query, name) =>
    expect(search.find(query, names, 5)).toContain(name),
  );

  it('returns only the names that it may choose from, and nothing for words without meaning', () => {
    expect(search.find('labels', ['list_tags', 'list_images'], 5)).toEqual(['list_tags']);
    expect(search.find('to the of', names, 5)).toEqual([]);
    expect(search.find('', names, 5)).toEqual([]);
  });

  it.each([
    ['list_tag', 'list_tags'],
    ['delete_contact_field', 'delete_custom_field'],
    ['newsletter_send', 'schedule_campaign'],
  ])('has among the three nearest of %s %s', (wrong, name) => {
    const found = search.nearest(wrong, names);
    expect(found).toHaveLength(3);
    expect(found).toContain(name);
  });
});
