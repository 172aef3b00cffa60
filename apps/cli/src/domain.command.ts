import type { ToolData } from '#client';
import { pluralize } from '#tool-call';
import { CommandError, UsageError } from './command-error.js';
import { cellText, tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type DnsRecord = ToolData<'get_domain_dns_records'>['records'][number];
type Sender = ToolData<'get_email_senders'>['senders'][number];

const id = ({ parameters: [domainId] }: Typed) => ({ domainId: domainId! });

const recordLines = (records: readonly DnsRecord[]): string[] =>
  tableLines([
    ['TYPE', 'NAME', 'VALUE', 'STATUS', 'ADVICE'],
    ...records.map(({ type, name, value, status, advice }) => [type, name, value, status, cellText(advice)]),
  ]);

const domains = [
  toolCommand({
    words: ['domains', 'list'],
    about: 'Lists the sending domains.',
    tool: 'list_domains',
    input: () => ({}),
    lines: (data) =>
      tableLines([
        ['ID', 'DOMAIN', 'STATUS', 'DKIM', 'MAIL FROM', 'CHECKED'],
        ...data.domains.map((one) => [
          ...[one.id, one.sandbox ? `${one.domain} (sandbox)` : one.domain, one.status, one.dkim, one.mailFrom],
          cellText(one.checkedAt),
        ]),
      ]),
  }),
  toolCommand({
    words: ['domains', 'add'],
    parameters: ['DOMAIN'],
    about: 'Adds a sending domain and shows the DNS records to add. The last line is its id alone.',
    tool: 'create_domain',
    input: ({ parameters: [domain] }) => ({ domain: domain! }),
    lines: ({ domain }) => [...recordLines(domain.records), domain.id],
  }),
  toolCommand({
    words: ['domains', 'info'],
    parameters: ['ID'],
    about: 'Shows the DNS records of a sending domain, each with its status at the last check.',
    tool: 'get_domain_dns_records',
    input: id,
    lines: ({ domain, records }) => [`${domain.domain} is ${domain.status}.`, ...recordLines(records)],
  }),
  toolCommand({
    words: ['domains', 'verify'],
    parameters: ['ID'],
    about: 'Checks the DNS records of a sending domain now.',
    tool: 'verify_domain',
    input: id,
    lines: ({ domain }) => [`${domain.domain} is ${domain.status}.`, ...recordLines(domain.records)],
  }),
  toolCommand({
    words: ['domains', 'delete'],
    parameters: ['ID'],
    about: 'Deletes a sending domain with its senders and DKIM keys.',
    tool: 'delete_domain',
    input: id,
    lines: ({ senders }) => [`Deleted, with ${pluralize(senders, 'sender')}.`],
  }),
];

const webDomains = [
  toolCommand({
    words: ['web-domains', 'list'],
    about: 'Lists the host names for pages and tracked links.',
    tool: 'list_web_domains',
    input: () => ({}),
    lines: (data) =>
      tableLines([
        ['ID', 'HOST NAME', 'STATUS', 'CNAME'],
        ...data.webDomains.map(({ id: wireId, hostname, status, cname }) => [wireId, hostname, status, cname.value]),
      ]),
  }),
  toolCommand({
    words: ['web-domains', 'add'],
    aliases: [['web-domain', 'add']],
    parameters: ['HOSTNAME'],
    about: 'Gives an organization a host name for pages and tracked links. The last line is its id alone.',
    tool: 'create_web_domain',
    input: ({ parameters: [hostname] }) => ({ hostname: hostname! }),
    lines: ({ webDomain: { id: wireId, cname } }) => [
      `Add this record to its DNS, then run web-domains verify: ${cname.name} CNAME ${cname.value}`,
      wireId,
    ],
  }),
  toolCommand({
    words: ['web-domains', 'verify'],
    parameters: ['ID'],
    about: 'Checks the CNAME record of such a host name now.',
    tool: 'verify_web_domain',
    input: id,
    lines: ({ webDomain: { hostname, status, advice } }) => [`${hostname} is ${status}.${advice ? ` ${advice}` : ''}`],
  }),
  toolCommand({
    words: ['web-domains', 'delete'],
    parameters: ['ID'],
    about: 'Deletes such a host name. New mail then carries the host name of the installation.',
    tool: 'delete_web_domain',
    input: id,
    lines: ({ webDomain }) => [`${webDomain.hostname} is deleted.`],
  }),
];

const senderText = ({ displayName, email }: Sender) => `${displayName} <${email}>`;
const senderId = ({ parameters: [given] }: Typed) => ({ senderId: given! });

const senders = [
  toolCommand({
    words: ['senders', 'list'],
    about: 'Lists the senders, the default one first.',
    tool: 'get_email_senders',
    input: () => ({}),
    lines: (data) =>
      tableLines([
        ['ID', 'NAME', 'EMAIL', 'REPLY TO', 'DEFAULT'],
        ...data.senders.map((one) => [
          ...[one.id, one.displayName, one.email, cellText(one.replyTo)],
          one.isDefault ? 'yes' : '',
        ]),
      ]),
  }),
  apiCommand({
    words: ['senders', 'add'],
    parameters: ['EMAIL'],
    about: 'Adds a sender on a VERIFIED sending domain. The last line is its id alone.',
    options: {
      name: { value: 'NAME', about: 'the name that recipients see' },
      'reply-to': { value: 'EMAIL', about: 'where answers go (default: the sender)' },
    },
    run: async (typed, api, { show }) => {
      const [localPart = '', host = ''] = typed.parameters[0]!.split(/@(?=[^@]*$)/);
      const displayName = typed.text('name');
      if (displayName === undefined) throw new UsageError('--name is missing.');
      const known = await api.call('list_domains', {});
      const domain = known.domains.find((one) => one.domain === host.toLowerCase());
      if (!domain) throw new CommandError(`"${host}" is no sending domain of the organization (see: domains list).`);
      const replyTo = typed.text('reply-to');
      const made = await api.call('create_email_sender', { displayName, localPart, domainId: domain.id, replyTo });
      show(typed, made, () => [`${senderText(made.sender)} can send.`, made.sender.id]);
    },
  }),
  toolCommand({
    words: ['senders', 'default'],
    aliases: [['sender', 'default']],
    parameters: ['ID'],
    about: 'Makes a sender the one that new campaigns of its organization use.',
    tool: 'set_default_sender',
    input: senderId,
    lines: ({ sender }) => [`${senderText(sender)} is the default sender.`],
  }),
  toolCommand({
    words: ['senders', 'delete'],
    parameters: ['ID'],
    about: 'Deletes a sender.',
    tool: 'delete_email_sender',
    input: senderId,
    lines: ({ sender }) => [`${senderText(sender)} is deleted.`],
  }),
];

export const domainCommands = [...domains, ...webDomains, ...senders];
