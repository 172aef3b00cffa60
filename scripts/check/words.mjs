/**
 * The word tables of the language check. Each entry: a regular expression source, and what to write in its place.
 * `docs/` names the standard term for each concept; these tables hold the words that such terms replaced.
 * @type {[pattern: string, suggestion: string][]}
 */
export const bannedWords = [
  ['nobody', 'name the actor: "no subscriber", "no process", "nothing is sent"'],
  ['somebody', 'name the actor: "a subscriber", "a member", "a process"'],
  ['anybody', 'name the actor: "any caller", "any member"'],
  ['everybody', '"all recipients", "every subscriber"; "everyone" in text for recipients'],
  ['whoever', '"the process that …", "a caller that …", "recipients who …"'],
  ['anew', '"again", or a verb with re-: "recreates", "restarts"'],
  ['told', '"reported", "returned", "notified"'],
  ['tells', '"reports", "returns", "shows"'],
  ['of ours', '"our …", or name the owner'],
  ['so many', 'give the number or the limit'],
  ['so often', 'give the number or the interval'],
  ['for good', '"permanently"'],
  ['under way', '"in progress", "running", "open"'],
  ['what is due', 'name it: "due messages", "due timers"'],
  ['gives? back', '"returns", "releases"'],
  ['takes? back', '"revokes", "cancels", "returns … to"'],
  ['comes to be', '"is created", "becomes"'],
];

/** Words that are only reported, since some of their uses are right. @type {[pattern: string, suggestion: string][]} */
export const discouragedWords = [
  ['whatever', '"any …", "every …"'],
  ['what is', 'a noun'],
  ['what was', 'a noun'],
  ['what became', '"the outcome of"'],
  ['those who', '"subscribers that", "callers that"'],
  ['lets', '"allows", or name the action'],
  ['stands?', '"is", "is stored"'],
  ['knows?', '"has", "reads", "records"'],
];

/** Words that no declared name contains, in lower case, and the word in their place. @type {Record<string, string>} */
const bannedNames = {
  addressee: 'recipient',
  bells: 'wakeSignals',
  books: 'rowCounter, or what it counts',
  company: 'stepBatch',
  crowd: 'fakeServices',
  crowded: 'atLimit',
  desk: 'fixture',
  door: 'authenticator, listener',
  farewell: 'formerSubscriberOutcome',
  founding: 'createOrganization',
  happening: 'triggerEvent',
  insist: 'retry…',
  lull: 'idleBackoff',
  making: 'rendering',
  newcomer: 'newSubscriber',
  parcel: 'smtpMessage',
  reception: 'requestPipeline',
  shop: 'organization, tenant, fixture',
  'stand-in': 'fake',
  stranger: 'unauthenticatedClient, otherTenant',
  told: 'reported, returned',
  town: 'fixture',
  turns: 'semaphore, slots',
  turnstile: 'semaphore',
  typist: 'cliFixture',
  visitor: 'principal',
  wish: 'request, options',
  yard: 'fixture',
};

/** Further words that no class, type or file name contains. @type {Record<string, string>} */
const bannedTypeNames = {
  parts: 'Dependencies, or inline',
  manager: 'what it does',
  helper: 'what it does',
  util: 'what it does',
  base: 'what is common to its subtypes',
  impl: 'what sets it apart',
};

/** First words that no summary begins with, and verbs of the field that fit. */
export const vagueVerbs = /^(Tells?|Gives?|Takes?|Puts?|Makes?|Lets?|Shows?)\b/;

/** What a file may be beside a plain name, which is a rule. */
export const suffixes = [
  'module',
  'controller',
  'tools',
  'requests',
  'repository',
  'service',
  'worker',
  'job',
  'consumer',
  'client',
  'spec',
];
/** Suffixes of one app only. @type {Record<string, string[]>} */
export const suffixesOf = { 'apps/cli': ['command'], 'apps/dashboard': ['page', 'routes', 'calls', 'events'] };

/** @param {[string, string][]} table */
const matcher = (table) => new RegExp(`(?<![\\w-])(?:${table.map(([pattern]) => pattern).join('|')})(?![\\w-])`, 'gi');
const matchers = new Map([bannedWords, discouragedWords].map((table) => [table, matcher(table)]));

/**
 * The words of `table` that a text contains.
 * @param {string} text @param {[string, string][]} table
 * @returns {{ word: string, at: number, suggestion: string }[]} `at` is the offset in the text
 */
export function findWords(text, table) {
  return [...text.matchAll(/** @type {RegExp} */ (matchers.get(table)))].map(({ 0: word, index }) => ({
    word,
    at: index,
    suggestion: table.find(([pattern]) => new RegExp(`^${pattern}$`, 'i').test(word))?.[1] ?? '',
  }));
}

const inNames = new Map(Object.entries(bannedNames));
const inTypeNames = new Map(Object.entries(bannedTypeNames));

/**
 * The banned word in a name of the code, whether camelCase or kebab-case.
 * @param {string} name @param {boolean} [isType] a class, type or file, for which more words are banned
 * @returns {{ word: string, suggestion: string } | undefined}
 */
export function bannedName(name, isType = false) {
  // The visitor pattern (Gamma et al.), and PostgreSQL's base backup.
  if (/BlockVisitor$|base-?backup/i.test(name)) return undefined;
  const words = [...name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z][a-z0-9]*/g)].map(([word]) => word.toLowerCase());
  if (/stand-?in(?![a-z])/i.test(name)) words.push('stand-in');
  for (const word of words)
    for (const one of [word, word.replace(/s$/, ''), word.replace(/es$/, '')]) {
      const suggestion = inNames.get(one) ?? (isType ? inTypeNames.get(one) : undefined);
      if (suggestion !== undefined) return { word: one, suggestion };
    }
  return undefined;
}
