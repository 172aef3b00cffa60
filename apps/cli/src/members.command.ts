import { secondFactorRequests, sessionRequests } from '#contracts';
import type { ToolData } from '#client';
import { pluralize } from '#tool-call';
import type { Api } from './api.js';
import { CommandError, UsageError } from './command-error.js';
import type { Command } from './command.js';
import { tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';

type Role = ToolData<'list_members'>['members'][number]['role'];

const roles: readonly Role[] = ['viewer', 'editor', 'approver', 'admin', 'owner'];

function roleTyped(text: string): Role {
  const role = roles.find((one) => one === text.toLowerCase());
  if (!role) throw new UsageError(`ROLE is one of ${roles.join(', ')}, not "${text}".`);
  return role;
}

/** The id of a member who is named by id or address. @throws CommandError */
async function memberId(api: Api, named: string): Promise<string> {
  if (named.startsWith('usr_')) return named;
  const { members } = await api.call('list_members', {});
  const found = members.find(({ email }) => email.toLowerCase() === named.toLowerCase());
  if (!found) throw new CommandError(`No member has the address "${named}" (see: members list).`);
  return found.id;
}

const list = apiCommand({
  words: ['members', 'list'],
  about: 'Lists the members of an organization, and the open invitations.',
  run: async (typed, api, { show }) => {
    const { members } = await api.call('list_members', {});
    const { invitations } = await api.call('list_invitations', {});
    show(typed, { members, invitations }, () =>
      tableLines([
        ['ID', 'EMAIL', 'NAME', 'ROLE', 'LAST SEEN'],
        ...members.map((one) => [one.id, one.email, one.name, one.role, one.lastSeenAt ?? 'never']),
        ...invitations.map((one) => [one.id, one.email, '(invited)', one.role, `until ${one.expiresAt}`]),
      ]),
    );
  },
});

const invite = toolCommand({
  words: ['members', 'invite'],
  parameters: ['EMAIL', 'ROLE'],
  about: `Invites an address with a role: ${roles.join(', ')}.`,
  tool: 'invite_member',
  input: ({ parameters: [email, role] }) => ({ email: email!, role: roleTyped(role!) }),
  lines: ({ invitation, link }) => [
    `${invitation.email} is invited as ${invitation.role} until ${invitation.expiresAt} (${invitation.id}).`,
    ...(link === undefined ? [] : ['No mail could be sent. Give them this link, which works once:', link]),
  ],
});

const role = toolCommand({
  words: ['members', 'role'],
  parameters: ['USER', 'ROLE'],
  about: `Changes the role of a member, named by id or address: ${roles.join(', ')}.`,
  tool: 'update_member_role',
  input: async ({ parameters: [user, to] }, api) => ({ role: roleTyped(to!), userId: await memberId(api, user!) }),
  lines: ({ member }) => [`${member.email} is ${member.role}.`],
});

const remove = toolCommand({
  words: ['members', 'remove'],
  parameters: ['USER'],
  about: 'Removes a member, named by id or address; their sessions and personal tokens end.',
  tool: 'remove_member',
  input: async ({ parameters: [user] }, api) => ({ userId: await memberId(api, user!) }),
  lines: ({ tokens }) => [`Removed; ${pluralize(tokens, 'personal token')} ended.`],
});

const reset = apiCommand({
  words: ['members', 'reset'],
  parameters: ['USER'],
  about: 'Mails a member, named by id or address, a link to choose a new password.',
  run: async (typed, api, { show }) => {
    const result = await api.call('send_password_reset', { userId: await memberId(api, typed.parameters[0]!) });
    if (!result.sent)
      throw new CommandError('No mail was sent: there is no relay, or three were sent within the hour.');
    show(typed, result, () => ['The link is on its way.']);
  },
});

const setup: Command = {
  words: ['members', 'setup'],
  about: 'Prints the link that makes the first user, valid for one hour; earlier ones end.',
  run: async (_typed, session) => {
    const people = (await session.bus()).client(sessionRequests);
    const { token } = await people.issue_setup_link({}, session.caller());
    if (token === null) throw new CommandError('There is a user already; an admin invites others (members invite).');
    session.terminal.say('Open this page of the installation, below its address (PUBLIC_URL):');
    session.terminal.say(`/setup#${token}`);
  },
};

const operator: Command = {
  words: ['members', 'operator'],
  parameters: ['EMAIL'],
  about: 'Makes a user an operator of the installation, or with --off no longer one.',
  options: { off: { about: 'takes the mark away' } },
  run: async (typed, session) => {
    const people = (await session.bus()).client(sessionRequests);
    const change = { email: typed.parameters[0]!, operator: !typed.has('off') };
    const { user } = await people.set_operator(change, session.caller());
    session.terminal.say(`${user.email} is ${user.operator ? 'an' : 'no'} operator.`);
  },
};

const resetFactors: Command = {
  words: ['members', 'reset-factors'],
  about: 'Removes the second factors of a user who lost them all, and ends their sessions.',
  options: { email: { value: 'ADDRESS', about: 'address of the user' } },
  run: async (typed, session) => {
    const email = typed.text('email');
    if (email === undefined) throw new UsageError('Name the user: members reset-factors --email ADDRESS.');
    const people = (await session.bus()).client(secondFactorRequests);
    const { user, removed, ended } = await people.reset_factors({ email }, session.caller());
    const factors = pluralize(removed, 'second factor');
    session.terminal.say(`${user.email}: removed ${factors}, ended ${pluralize(ended, 'session')}.`);
  },
};

export const memberCommands = [list, invite, role, remove, reset, setup, operator, resetFactors];
