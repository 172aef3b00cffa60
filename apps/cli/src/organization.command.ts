import { customFieldsMax, subscriberRequests } from '#contracts';
import type { OrganizationFacts } from '#contracts';
import { quotaOptions, quotasText, quotasTyped } from './quota.js';
import { CommandError, UsageError } from './command-error.js';
import type { Command, Typed } from './command.js';
import { tableLines } from './terminal.js';

const create: Command = {
  words: ['org', 'create'],
  parameters: ['NAME'],
  about: 'Makes an organization that can send at once from its sandbox domain. The last line is its id alone.',
  options: { cell: { value: 'NAME', about: 'the cell that stores its data permanently (default: the home cell)' } },
  run: async ({ parameters: [name], text }, session) => {
    const asked = { name: name!, cell: text('cell') ?? null };
    const { organization, sender } = await (await session.domain()).create_organization(asked, session.caller());
    session.terminal.say(`Organization "${organization.name}" sends as ${sender.displayName} <${sender.email}>.`);
    session.terminal.say(organization.id);
  },
};

const list: Command = {
  words: ['org', 'list'],
  about: 'Lists the organizations.',
  run: async (_typed, session) => {
    const { organizations } = await (await session.domain()).list_organizations({}, session.caller());
    for (const line of tableLines([headings, ...organizations.map(cellsOf)])) session.terminal.say(line);
  },
};

const set: Command = {
  words: ['org', 'set'],
  parameters: ['ID'],
  about: 'Changes settings of an organization.',
  options: {
    name: { value: 'NAME', about: 'its name' },
    timezone: { value: 'ZONE', about: 'an IANA name such as Europe/Paris' },
    address: { value: 'TEXT', about: 'the postal address for footers; empty for none' },
    plan: { value: 'PLAN', about: 'FREE, PREMIUM or ENTERPRISE' },
    'double-opt-in': { value: 'on|off', about: 'whether new subscribers must confirm' },
    'track-opens': { value: 'on|off', about: 'whether openings are counted in campaigns and workflow emails' },
    'track-clicks': { value: 'on|off', about: 'whether clicks are counted there' },
    rate: { value: 'N|default', about: 'calls a minute; default for its plan’s' },
    currency: { value: 'CODE', about: 'three letters; the currency its revenue is summed in' },
    ...quotaOptions('default', 'default for its plan’s'),
    cell: { value: 'NAME', about: 'refused: an organization stays in the cell that it was made in' },
  },
  run: async (typed, session) => {
    if (typed.text('cell') !== undefined) {
      throw new CommandError('An organization stays in the cell that it was made in: its data cannot be moved.');
    }
    const change = { organizationId: typed.parameters[0]!, ...changeOf(typed) };
    const { organization } = await (await session.domain()).set_organization(change, session.caller());
    for (const line of tableLines([headings, cellsOf(organization)])) session.terminal.say(line);
  },
};

const limitFields: Command = {
  words: ['org', 'limit-fields'],
  parameters: ['ID', 'N'],
  about: `Sets how many custom fields an organization may have; default for ${customFieldsMax}.`,
  run: async ({ parameters: [id, given] }, session) => {
    if (given !== 'default' && !/^\d{1,5}$/.test(given!)) {
      throw new UsageError(`N is a number of at most five digits or default, not "${given}".`);
    }
    const caller = session.caller(await session.organizationId(id));
    const { set_custom_field_limit } = (await session.bus()).client(subscriberRequests);
    const { limit, used } = await set_custom_field_limit({ limit: given === 'default' ? null : Number(given) }, caller);
    session.terminal.say(`The organization may have ${limit} custom fields; it has ${used}.`);
  },
};

export const organizationCommands = [create, list, set, limitFields];

const headings = [
  'ID',
  'NAME',
  'PLAN',
  'RATE',
  'TIMEZONE',
  'DOUBLE OPT-IN',
  'CURRENCY',
  'TRACKING',
  'QUOTAS',
  'CELL',
  'ADDRESS',
];
const cellsOf = (organization: OrganizationFacts) => [
  organization.id,
  organization.name,
  organization.plan,
  `${organization.ratePerMinute}/min`,
  organization.timezone,
  organization.doubleOptIn ? 'on' : 'off',
  organization.currency,
  trackingText(organization.tracking),
  quotasText(organization.quotas),
  organization.cell ?? 'home',
  organization.address?.replace(/\s+/g, ' ') ?? '-',
];

function changeOf(typed: Typed) {
  const address = typed.text('address');
  const change = {
    name: typed.text('name'),
    timezone: typed.text('timezone'),
    address: address === '' ? null : address,
    plan: typed.text('plan')?.toUpperCase() as OrganizationFacts['plan'] | undefined,
    doubleOptIn: switchOf(typed, 'double-opt-in'),
    trackOpens: switchOf(typed, 'track-opens'),
    trackClicks: switchOf(typed, 'track-clicks'),
    quotas: quotasTyped(typed, 'default'),
    ratePerMinute: rateOf(typed.text('rate')),
    currency: typed.text('currency')?.toUpperCase(),
  };
  if (Object.values(change).every((value) => value === undefined)) throw new UsageError('Nothing to change is given.');
  return change;
}

const trackingText = ({ opens, clicks }: OrganizationFacts['tracking']): string =>
  [...(opens ? ['opens'] : []), ...(clicks ? ['clicks'] : [])].join(' ') || 'off';

function switchOf(typed: Typed, option: string): boolean | undefined {
  const text = typed.text(option);
  if (text === undefined) return undefined;
  if (text !== 'on' && text !== 'off') throw new UsageError(`--${option} takes on or off, not "${text}".`);
  return text === 'on';
}

function rateOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new UsageError(`--rate takes calls a minute or default, not "${text}".`);
  return Number(text);
}
