import { subscriberLifeRequests } from '#contracts';
import type { Command } from './command.js';

const org = { value: 'ID', about: 'the organization; not needed when there is only one' };

const setBan = (verb: 'ban' | 'unban', about: string): Command => ({
  words: ['subscriber', verb],
  parameters: ['EMAIL'],
  about,
  options: { org },
  run: async (typed, session) => {
    const caller = session.caller(await session.organizationId(typed.text('org')));
    const life = (await session.bus()).client(subscriberLifeRequests);
    const banned = verb === 'ban';
    const { email, status } = await life.set_ban({ email: typed.parameters[0]!, banned }, caller);
    if (status) session.terminal.say(`${email} is ${status}.`);
    else
      session.terminal.say(`${email} is no subscriber; it ${banned ? 'is BANNED when it comes' : 'may come again'}.`);
  },
});

export const subscriberCommands = [
  setBan('ban', 'Keeps every message from an address, whatever a caller does; also one that is not there yet.'),
  setBan('unban', 'Lifts a ban: the subscriber is what it was before.'),
];
