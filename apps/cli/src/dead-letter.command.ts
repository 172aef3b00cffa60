import type { ToolData } from '#client';
import type { Service } from '#contracts';
import { exitStatus, UsageError } from './command-error.js';
import { numberTyped } from './command.js';
import { tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type DeadLetter = ToolData<'list_dead_letters'>['deadLetters'][number];

const services: readonly Service[] = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];
const service = { value: 'NAME', about: `one of ${services.join(', ')} (default: all)`, choices: services };
const serviceTyped = (typed: Typed) => typed.text('service') as Service | undefined;

const headings = ['ID', 'SERVICE', 'EVENT', 'TRIED', 'FAILED AT', 'ERROR'];
const cellsOf = ({ id, service: name, event, attempts, failedAt, error }: DeadLetter) => [
  ...[id, name, event, `${attempts}×`, failedAt],
  error.replace(/\s+/g, ' ').slice(0, 120),
];

const list = toolCommand({
  words: ['dead-letters', 'list'],
  about: 'Lists the events of an organization that a service could not apply, the oldest first.',
  options: {
    service,
    event: { value: 'NAME', about: 'one event, such as message.bounced' },
    limit: { value: 'N', about: 'number of events, 1 to 100 (default: 50)' },
  },
  tool: 'list_dead_letters',
  input: (typed) => ({
    service: serviceTyped(typed),
    event: typed.text('event'),
    limit: numberTyped(typed, 'limit', 100),
  }),
  lines: ({ deadLetters, total, unavailable }) => [
    ...(deadLetters.length === 0 ? [] : tableLines([headings, ...deadLetters.map(cellsOf)])),
    `${total} put aside${total > deadLetters.length ? `, ${deadLetters.length} shown` : ''}.`,
    ...unavailable.map((name) => `${name} does not answer: its events are missing.`),
  ],
  status: ({ unavailable }) => (unavailable.length > 0 ? exitStatus.failed : exitStatus.done),
});

const show = toolCommand({
  words: ['dead-letters', 'show'],
  parameters: ['ID'],
  about: 'Shows one such event with its payload.',
  tool: 'get_dead_letter',
  input: ({ parameters: [id] }) => ({ id: id! }),
  lines: ({ deadLetter }) => [
    ...tableLines([headings, cellsOf(deadLetter)]),
    `State: ${deadLetter.state}`,
    ...JSON.stringify(deadLetter.payload, null, 2).split('\n'),
  ],
});

const retry = apiCommand({
  words: ['dead-letters', 'retry'],
  aliases: [['dead-letters', 'replay']],
  parameters: ['[ID]...'],
  about: 'Applies such events again: those named, or all. What fails again stays.',
  options: { service },
  run: async (typed, api, session) => {
    const ids = typed.parameters;
    const name = serviceTyped(typed);
    if (ids.length > 0 && name !== undefined) throw new UsageError('Give either IDs or --service.');
    const inputs =
      ids.length > 0 ? [{ ids }] : (name === undefined ? services : [name]).map((one) => ({ service: one }));
    const failed: DeadLetter[] = [];
    let retried = 0;
    for (const input of inputs) {
      const result = await api.call('retry_dead_letters', input);
      retried += result.retried;
      failed.push(...result.failed);
    }
    if (failed.length > 0 && !typed.has('json'))
      for (const line of tableLines([headings, ...failed.map(cellsOf)])) session.terminal.note(line);
    session.show(typed, { retried, failed }, () => [`${retried} retried, ${failed.length} failed again.`]);
    return failed.length > 0 ? exitStatus.partly : exitStatus.done;
  },
});

const discard = toolCommand({
  words: ['dead-letters', 'discard'],
  parameters: ['ID', '[ID]...'],
  about: 'Discards such events, so that they are never applied.',
  options: { reason: { value: 'TEXT', about: 'why' } },
  tool: 'discard_dead_letters',
  input: (typed) => {
    const reason = typed.text('reason');
    if (reason === undefined) throw new UsageError('--reason is missing.');
    return { ids: typed.parameters, reason };
  },
  lines: ({ discarded }) => [`${discarded} discarded.`],
});

export const deadLetterCommands = [list, show, retry, discard];
