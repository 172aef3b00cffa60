import { toolCommand } from './tool-command.js';

const setBan = (verb: 'ban' | 'unban', about: string) =>
  toolCommand({
    words: ['subscribers', verb],
    aliases: [['subscriber', verb]],
    parameters: ['EMAIL'],
    about,
    options: { reason: { value: 'TEXT', about: 'why' } },
    tool: 'set_subscriber_ban',
    input: (typed) => ({ email: typed.parameters[0]!, banned: verb === 'ban', reason: typed.text('reason') }),
    lines: ({ email, status, banned }) => [
      status === null
        ? `${email} is no subscriber; it ${banned ? 'is BANNED when it comes' : 'may come again'}.`
        : `${email} is ${status}.`,
    ],
  });

export const subscriberCommands = [
  setBan('ban', 'Keeps every message from an address, whatever a caller does; also one that is not there yet.'),
  setBan('unban', 'Lifts a ban: the subscriber is what it was before.'),
];
