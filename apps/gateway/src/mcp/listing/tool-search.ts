import MiniSearch from 'minisearch';
import type { CatalogueEntry } from '#contracts';
import { closestName } from '#tool-call';

/** Words that callers use for the words in tools' names, by the stem of these. */
const synonyms: Readonly<Record<string, string>> = {
  subscriber: 'person people contact reader recipient customer member user someone everyone everybody list him her',
  campaign: 'newsletter mailing mailshot blast broadcast issue announcement mass mail',
  workflow: 'automation automatic sequence series drip autoresponder journey funnel welcome onboarding birthday',
  tag: 'label category',
  segment: 'audience saved group people target rules',
  snippet: 'block reusable text footer signature paragraph',
  field: 'column property attribute extra information',
  sender: 'from address',
  domain: 'web address dns host',
  image: 'picture photo logo graphic',
  history: 'version revision save older earlier',
  export: 'csv file dump download spreadsheet excel',
  import: 'csv file load spreadsheet excel',
  filter: 'condition criteria recipients',
  group: 'folder collection',
  run: 'step where',
  list: 'show all every overview which',
  get: 'show open read look details',
  create: 'new make add define set up',
  update: 'change edit correct adjust',
  edit: 'change update correct rewrite',
  delete: 'remove drop erase throw away get rid',
  duplicat: 'copy clone again',
  archiv: 'hide put away retire',
  unarchiv: 'back again restore recover',
  verify: 'check test confirm',
  add: 'put enter start',
  remove: 'take out off',
};

const stopWords = new Set(
  (
    'a an the this that these those to of for from in into on at by with as and or but it its is are was were be been am ' +
    'i me my we us our you your he she his they them their there please can could would will shall should do does did ' +
    'has have had want wants need needs like d ve s t m ll re any some so'
  ).split(' '),
);

const weakWords = new Set(
  'what which who whom how when where all one give get show tell let go come take put make use look out up off back on now new mail email send list people person many much'.split(
    ' ',
  ),
);

interface Document {
  name: string;
  words: string;
  synonyms: string;
  summary: string;
  keywords: string;
  parameters: string;
}

/** Finds tools by plain words: names, summaries, keywords and parameters, ranked by BM25. */
export class ToolSearch {
  readonly #index = new MiniSearch<Document>({
    idField: 'name',
    fields: ['words', 'synonyms', 'summary', 'keywords', 'parameters'],
    tokenize: (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [],
    processTerm: stemOf,
  });

  constructor(entries: Iterable<CatalogueEntry>) {
    this.#index.addAll([...entries].map(documentOf));
  }

  /**
   * The names of the tools that match best, best first.
   * @param names the names to choose from
   */
  find(query: string, names: readonly string[], limit: number): string[] {
    const allowed = new Set(names);
    const hits = this.#index.search(query, {
      boost: { words: 4, keywords: 3, synonyms: 1.5, summary: 0.5, parameters: 0.3 },
      // A tool with many keywords is as likely to be meant as one with few.
      bm25: { k: 1.2, b: 0.2, d: 0.5 },
      boostTerm: (term) => (weakWords.has(term) ? 0.5 : 1),
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.3 },
      filter: ({ id }) => allowed.has(id as string),
    });
    const exact = names.filter((name) => wordsOf(name) === wordsOf(query.trim()).toLowerCase());
    return [...new Set([...exact, ...hits.map(({ id }) => id as string)])].slice(0, limit);
  }

  /** The three names that an unknown name most likely meant: the nearest in letters, then the best matches of its words. */
  nearest(name: string, names: readonly string[]): string[] {
    const spelled = closestName(name, names);
    const found = this.find(wordsOf(name), names, 3);
    return [...new Set([...(spelled === null ? [] : [spelled]), ...found])].slice(0, 3);
  }
}

function documentOf({ name, contract }: CatalogueEntry): Document {
  const stems = name.split('_').map((word) => stemOf(word));
  return {
    name,
    words: wordsOf(name),
    synonyms: stems.map((stem) => synonyms[stem ?? ''] ?? '').join(' '),
    summary: contract.summary,
    keywords: contract.keywords,
    parameters: Object.keys(contract.input.shape).map(wordsOf).join(' '),
  };
}

/** A name in snake or camel case as words. */
const wordsOf = (name: string): string => name.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');

/** A word without case, accents and English endings; null for a word without meaning of its own. */
function stemOf(word: string): string | null {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  if (stopWords.has(plain)) return null;
  if (plain.length < 4) return plain;
  const singular = plain
    .replace(/ies$/, 'y')
    .replace(/(?<=s|x|z|ch|sh)es$/, '')
    .replace(/(?<![su])s$/, '');
  const bare = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, '') : singular;
  // Doubled by the ending: "stopped", "putting". A silent e is dropped from every word, so that "sharing" meets "share".
  return bare.replace(/([bdgmnprt])\1$/, '$1').replace(/(?<=..)e$/, '');
}
