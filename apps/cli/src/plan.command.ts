import type { PlanFacts } from '#contracts';
import { UsageError } from './command-error.js';
import type { Command } from './command.js';
import { quotaOptions, quotasText, quotasTyped } from './quota.js';
import { tableLines } from './terminal.js';

const list: Command = {
  words: ['plan', 'list'],
  about: 'Lists the plans with their calls a minute and their quotas.',
  run: async (_typed, session) => {
    const { plans } = await (await session.domain()).list_plans({}, session.caller());
    for (const line of tableLines([headings, ...plans.map(cellsOf)])) session.terminal.say(line);
  },
};

const set: Command = {
  words: ['plan', 'set'],
  parameters: ['PLAN'],
  about: 'Changes what organizations of a plan may have, but for what is set for one of them (see: org set).',
  options: quotaOptions('none', 'none for any number'),
  run: async (typed, session) => {
    const quotas = quotasTyped(typed, 'none');
    if (!quotas) throw new UsageError('Nothing to change is given.');
    const plan = typed.parameters[0]!.toUpperCase() as PlanFacts['plan'];
    const changed = await (await session.domain()).set_plan({ plan, quotas }, session.caller());
    for (const line of tableLines([headings, cellsOf(changed.plan)])) session.terminal.say(line);
  },
};

export const planCommands = [list, set];

const headings = ['PLAN', 'RATE', 'QUOTAS'];
const cellsOf = ({ plan, ratePerMinute, quotas }: PlanFacts) => [plan, `${ratePerMinute}/min`, quotasText(quotas)];
