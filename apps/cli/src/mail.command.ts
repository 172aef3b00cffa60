import { userInfo } from 'node:os';
import type { Client } from '#bus';
import { mailHoldRequests } from '#contracts';
import type { Args, Data } from '#contracts';
import { jsonOption } from './command.js';
import type { Command } from './command.js';
import type { Session } from './session.js';

type Requests = Client<typeof mailHoldRequests>;
type State = Data<(typeof mailHoldRequests)['calls']['get_mail_hold']>;
type Hold = Args<(typeof mailHoldRequests)['calls']['hold_mail']>;

/** Calls the delivery service of every cell, one after the other. */
async function ofEachCell(session: Session, ask: (requests: Requests) => Promise<State>) {
  const bus = await session.bus();
  const states: (State & { cell: string })[] = [];
  for (const cell of bus.cells) states.push({ cell, ...(await ask(bus.clientIn(cell, mailHoldRequests))) });
  return states;
}

const show = (session: Session, json: boolean, states: (State & { cell: string })[]): void => {
  if (json) return session.terminal.say(JSON.stringify({ cells: states }));
  for (const { cell, hold, waiting } of states) {
    const where = states.length > 1 ? `${cell}: ` : '';
    const queue = `${waiting.messages} single messages and ${waiting.sends} campaigns wait`;
    session.terminal.say(
      hold
        ? `${where}Mail is held since ${hold.since} by ${hold.by}: ${hold.reason}. ${queue}.`
        : `${where}Mail is not held. ${queue} for their turn.`,
    );
  }
};

const hold: Command = {
  words: ['mail', 'hold'],
  about: 'Holds all mail: calls succeed, messages stay queued, nothing is handed to the relay until the release.',
  options: { reason: { value: 'TEXT', about: 'why (default: held by the operator)' }, json: jsonOption },
  run: async (typed, session) => {
    const asked: Hold = { reason: typed.text('reason') ?? 'held by the operator', by: userInfo().username };
    const states = await ofEachCell(session, (requests) => requests.hold_mail(asked, session.caller()));
    show(session, typed.has('json'), states);
  },
};

const release: Command = {
  words: ['mail', 'release'],
  about: 'Ends the hold: queued mail goes out. Paused campaigns stay paused.',
  options: { json: jsonOption },
  run: async (typed, session) => {
    const states = await ofEachCell(session, (requests) => requests.release_mail({}, session.caller()));
    show(session, typed.has('json'), states);
  },
};

const status: Command = {
  words: ['mail', 'status'],
  about: 'Shows whether mail is held, since when, and why.',
  options: { json: jsonOption },
  run: async (typed, session) => {
    const states = await ofEachCell(session, (requests) => requests.get_mail_hold({}, session.caller()));
    show(session, typed.has('json'), states);
  },
};

export const mailCommands = [hold, release, status];
