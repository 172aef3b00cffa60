import type { Command } from './command.js';

const addWebDomain: Command = {
  words: ['web-domain', 'add'],
  parameters: ['HOSTNAME'],
  about: 'Gives an organization a host name for pages and tracked links. The last line is its id alone.',
  options: { org: { value: 'ID', about: 'the organization; not needed when there is only one' } },
  run: async ({ parameters: [hostname], text }, session) => {
    const organizationId = await session.organizationId(text('org'));
    const { webDomain } = await (
      await session.domain()
    ).add_web_domain({ organizationId, hostname: hostname! }, session.caller());
    const { name, value } = webDomain.cname;
    session.terminal.say(`Add this record to its DNS, then call verify_web_domain: ${name} CNAME ${value}`);
    session.terminal.say(webDomain.id);
  },
};

const setDefaultSender: Command = {
  words: ['sender', 'default'],
  parameters: ['ID'],
  about: 'Makes a sender the one that new campaigns of its organization use.',
  run: async ({ parameters: [senderId] }, session) => {
    const { sender } = await (await session.domain()).set_default_sender({ senderId: senderId! }, session.caller());
    session.terminal.say(`${sender.displayName} <${sender.email}> is the default sender.`);
  },
};

export const domainCommands = [addWebDomain, setDefaultSender];
