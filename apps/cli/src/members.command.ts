import { sessionRequests } from '#contracts';
import type { Command } from './command.js';
import { CommandError } from './command-error.js';

const setup: Command = {
  words: ['members', 'setup'],
  about: 'Prints the token that makes the first user, valid for one hour; earlier ones end.',
  run: async (_typed, session) => {
    const people = (await session.bus()).client(sessionRequests);
    const { token } = await people.issue_setup_link({}, session.caller());
    if (token === null) throw new CommandError('There is a user already; an admin invites others (invite_member).');
    session.terminal.say('POST it to /api/session/setup with email, name and password:');
    session.terminal.say(token);
  },
};

export const memberCommands = [setup];
