import type { Client } from '#bus';
import { deadLetterRequests } from '#contracts';
import type { DeadLetter, Service } from '#contracts';
import { RemoteFailure } from '#tool-call';
import { exitStatus, UsageError } from './command-error.js';
import type { Command, Typed } from './command.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';

const services: readonly Service[] = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];
const service = { value: 'NAME', about: `one of ${services.join(', ')} (default: all)` };

const list: Command = {
  words: ['dead-letters', 'list'],
  about: 'Lists the events that a service could not apply, the oldest first.',
  options: { service },
  run: async (typed, session) => {
    const rows: string[][] = [];
    let total = 0;
    const silent = await ofEach(typed, session, async (name, requests) => {
      const answer = await requests.list_dead_letters({}, session.caller());
      rows.push(...answer.deadLetters.map((letter) => cellsOf(name, letter)));
      total += answer.total;
    });
    if (rows.length > 0) for (const line of tableLines([headings, ...rows])) session.terminal.say(line);
    session.terminal.say(`${total} put aside${total > rows.length ? `, ${rows.length} shown` : ''}.`);
    return silent ? exitStatus.failed : exitStatus.done;
  },
};

const replay: Command = {
  words: ['dead-letters', 'replay'],
  about: 'Applies events again that were put aside: all, or those named. What fails again stays.',
  options: { service, id: { value: 'ID', about: 'an event’s id as listed', multiple: true } },
  run: async (typed, session) => {
    const ids = typed.texts('id');
    const failed: string[][] = [];
    let replayed = 0;
    const silent = await ofEach(typed, session, async (name, requests) => {
      const answer = await requests.replay_dead_letters(ids.length > 0 ? { ids } : {}, session.caller());
      replayed += answer.replayed;
      failed.push(...answer.failed.map((letter) => cellsOf(name, letter)));
    });
    if (failed.length > 0) for (const line of tableLines([headings, ...failed])) session.terminal.note(line);
    session.terminal.say(`${replayed} replayed, ${failed.length} failed again.`);
    return silent || failed.length > 0 ? exitStatus.failed : exitStatus.done;
  },
};

export const deadLetterCommands = [list, replay];

const headings = ['ID', 'SERVICE', 'EVENT', 'ORGANIZATION', 'TRIED', 'FAILED AT', 'ERROR'];
const cellsOf = (name: string, letter: DeadLetter) => [
  letter.id,
  name,
  letter.event,
  letter.organizationId,
  `${letter.attempts}×`,
  letter.failedAt,
  letter.error.replace(/\s+/g, ' ').slice(0, 120),
];

type Requests = Client<ReturnType<typeof deadLetterRequests>>;

/**
 * Calls `ask` for each chosen service in every cell. A service that does not respond does not hide the others.
 * @returns whether a service did not respond
 */
async function ofEach(typed: Typed, session: Session, ask: (name: string, requests: Requests) => Promise<void>) {
  const names = chosen(typed);
  const bus = await session.bus();
  let silent = false;
  const homes = names.map((name) => ({ cell: bus.home, name }));
  const others = bus.cells
    .slice(1)
    .flatMap((cell) => names.flatMap((name) => (name === 'domain' ? [] : { cell, name })));
  for (const { cell, name } of [...homes, ...others]) {
    const shown = cell === bus.home ? name : `${name} of ${cell}`;
    try {
      await ask(shown, bus.clientIn(cell, deadLetterRequests(name)));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      session.terminal.note(`${shown}: ${error.message}`);
      silent = true;
    }
  }
  return silent;
}

function chosen(typed: Typed): readonly Service[] {
  const name = typed.text('service');
  if (name === undefined) return services;
  const known = services.find((one) => one === name);
  if (!known) throw new UsageError(`--service takes one of ${services.join(', ')}, not "${name}".`);
  return [known];
}
