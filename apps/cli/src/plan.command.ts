import type { ToolData } from '#client';
import { UsageError } from './command-error.js';
import { quotaOptions, quotasText, quotasTyped } from './quota.js';
import { tableLines } from './terminal.js';
import { toolCommand } from './tool-command.js';

type PlanFacts = ToolData<'list_plans'>['plans'][number];

const list = toolCommand({
  words: ['plan', 'list'],
  about: 'Lists the plans with their calls a minute and their quotas.',
  tool: 'list_plans',
  input: () => ({}),
  lines: ({ plans }) => tableLines([headings, ...plans.map(cellsOf)]),
});

const set = toolCommand({
  words: ['plan', 'set'],
  parameters: ['PLAN'],
  about: 'Changes what organizations of a plan may have, but for what is set for one of them (see: org set).',
  options: quotaOptions('none', 'none for any number'),
  tool: 'set_plan_quotas',
  input: (typed) => {
    const quotas = quotasTyped(typed, 'none');
    if (!quotas) throw new UsageError('Nothing to change is given.');
    return { plan: typed.parameters[0]!.toUpperCase() as PlanFacts['plan'], quotas };
  },
  lines: ({ plan }) => tableLines([headings, cellsOf(plan)]),
});

export const planCommands = [list, set];

const headings = ['PLAN', 'RATE', 'QUOTAS'];
const cellsOf = ({ plan, ratePerMinute, quotas }: PlanFacts) => [plan, `${ratePerMinute}/min`, quotasText(quotas)];
