import { customFieldsMax } from '#contracts';
import type { ToolData, ToolInput } from '#client';
import { quotaOptions, quotasText, quotasTyped } from './quota.js';
import { CommandError, UsageError } from './command-error.js';
import { jsonOption } from './command.js';
import type { Command } from './command.js';
import { tableLines } from './terminal.js';
import { toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

const create = toolCommand({
  words: ['org', 'create'],
  parameters: ['NAME'],
  about: 'Makes an organization that can send at once from its sandbox domain. The last line is its id alone.',
  options: { cell: { value: 'NAME', about: 'the cell that stores its data permanently (default: the home cell)' } },
  tool: 'create_organization',
  input: ({ parameters: [name], text }) => ({ name: name!, cell: text('cell') ?? null }),
  lines: ({ organization, sender }) => [
    `Organization "${organization.name}" sends as ${sender.displayName} <${sender.email}>.`,
    organization.id,
  ],
});

const list = toolCommand({
  words: ['org', 'list'],
  about: 'Lists the organizations.',
  tool: 'list_organizations',
  input: () => ({}),
  lines: ({ organizations }) => tableLines([headings, ...organizations.map(cellsOf)]),
});

const info = toolCommand({
  words: ['org', 'info'],
  about: 'Shows the settings of an organization, its quotas and their use.',
  tool: 'get_organization',
  input: () => ({}),
  lines: linesOf,
});

const set: Command = {
  words: ['org', 'set'],
  parameters: ['ID'],
  about: 'Changes settings of an organization, named by id or number.',
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
    json: jsonOption,
  },
  run: async (typed, session) => {
    if (typed.text('cell') !== undefined) {
      throw new CommandError('An organization stays in the cell that it was made in: its data cannot be moved.');
    }
    const [settings, plan] = [settingsOf(typed), planOf(typed)];
    if (isEmpty(settings) && isEmpty(plan)) throw new UsageError('Nothing to change is given.');
    const api = session.api(typed, typed.parameters[0]);
    const { id } = (await api.call('get_organization', {})).organization;
    if (!isEmpty(plan)) await api.call('set_organization_plan', { organizationId: id, ...plan });
    if (!isEmpty(settings)) await api.call('update_organization', settings);
    const changed = await api.call('get_organization', {});
    session.show(typed, changed, () => linesOf(changed));
  },
};

const limitFields: Command = {
  words: ['org', 'limit-fields'],
  parameters: ['ID', 'N'],
  about: `Sets how many custom fields an organization may have; default for ${customFieldsMax}.`,
  options: { json: jsonOption },
  run: async (typed, session) => {
    const [id, given] = typed.parameters;
    if (given !== 'default' && !/^\d{1,5}$/.test(given!)) {
      throw new UsageError(`N is a number of at most five digits or default, not "${given}".`);
    }
    const api = session.api(typed, id);
    const { organization } = await api.call('get_organization', {});
    const limit = given === 'default' ? null : Number(given);
    const input = { organizationId: organization.id, customFieldsMax: limit };
    const changed = await api.call('set_organization_plan', input);
    const { limit: allowed, used } = changed.customFields!;
    session.show(typed, changed, () => [`The organization may have ${allowed} custom fields; it has ${used}.`]);
  },
};

export const organizationCommands = [create, list, info, set, limitFields];

const headings = ['ID', 'NUMBER', 'NAME', 'PLAN', 'RATE', 'TIMEZONE', 'CURRENCY', 'QUOTAS', 'CELL'];
const cellsOf = (organization: ToolData<'list_organizations'>['organizations'][number]): string[] => [
  organization.id,
  String(organization.number),
  organization.name,
  organization.plan,
  `${organization.ratePerMinute}/min`,
  organization.timezone,
  organization.currency,
  quotasText(organization.quotas),
  organization.cell ?? 'home',
];

function linesOf({ organization, plan, quotas, usage }: ToolData<'get_organization'>): string[] {
  const onOff = (isOn: boolean) => (isOn ? 'on' : 'off');
  return tableLines([
    ['Id', organization.id],
    ['Number', String(organization.number)],
    ['Name', organization.name],
    ['Plan', plan],
    ['Quotas', quotasText(quotas)],
    ['Used', quotasText(usage)],
    ['Time zone', organization.timezone],
    ['Address', organization.address?.replace(/\s+/g, ' ') ?? '-'],
    ['Currency', organization.currency],
    ['Double opt-in', onOff(organization.doubleOptIn)],
    ['Opens counted', onOff(organization.trackOpens)],
    ['Clicks counted', onOff(organization.trackClicks)],
    ['Approvals', organization.approvals],
  ]);
}

const isEmpty = (change: object): boolean => Object.values(change).every((value) => value === undefined);

/** What members of the organization may change too. @throws UsageError */
function settingsOf(typed: Typed) {
  const address = typed.text('address');
  return {
    name: typed.text('name'),
    timezone: typed.text('timezone'),
    address: address === '' ? null : address,
    doubleOptIn: switchOf(typed, 'double-opt-in'),
    trackOpens: switchOf(typed, 'track-opens'),
    trackClicks: switchOf(typed, 'track-clicks'),
    currency: typed.text('currency')?.toUpperCase(),
  };
}

/** What operators change. @throws UsageError */
const planOf = (typed: Typed) => ({
  plan: typed.text('plan')?.toUpperCase() as ToolInput<'set_organization_plan'>['plan'],
  quotas: quotasTyped(typed, 'default'),
  ratePerMinute: rateOf(typed.text('rate')),
});

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
