import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileMail, parseContent } from '#content';
import type { CompileInput, MailTemplate } from '#content';
import { newId, newUuid } from '#database';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { CampaignRenderer } from '../../apps/delivery/src/send/render/campaign-renderer.js';
import type { RenderPlan, RenderRecipient } from '../../apps/delivery/src/send/render/campaign-renderer.js';
import type { Send } from '../../apps/delivery/src/send/send.js';
import { median, report } from '../report.js';
import { WholeRenderer } from './baseline.js';

const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: { messages: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '5' } },
});
const messages = Number(options.messages);
const rounds = Number(options.rounds);
const now = new Date('2037-05-04T10:11:12Z');
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
/** About what a DKIM signature covers of the header. */
const signedOctets = Buffer.alloc(1024);

const addressOf = (text: string): EmailAddress => {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.address;
};

const goldenNewsletter = (): MailTemplate => {
  const file = 'libs/content/test/golden/mail-newsletter.json';
  const { input } = JSON.parse(readFileSync(file, 'utf8')) as {
    input: Omit<CompileInput, 'content'> & { content: unknown };
  };
  const parsed = parseContent(input.type, input.content);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return compileMail({ ...input, content: parsed.content }).template;
};

/** The mail of the bench `campaign-send`. */
const plainMail = (): MailTemplate => {
  const parsed = parseContent(
    'MARKDOWN',
    [
      "# Hello {{firstName | 'friend'}}",
      'Spring has come, and with it **new seeds**, tools and a longer day to use them. [See what is new](https://shop.internal/spring).',
      'Order before Sunday to get the catalogue with it. Your address with us is {{email}}; if that is wrong, [write to us](https://shop.internal/account).',
      '[Unsubscribe]({{unsubscribeUrl}})',
    ].join('\n\n'),
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const organization = { name: 'Garden Shop', address: 'Rose Lane 1' };
  const subject = "{{firstName | 'Friend'}}, spring is here";
  const rest = { preview: null, type: 'MARKDOWN' as const, snippets: {}, organization, footer: true };
  return compileMail({ ...rest, subject, content: parsed.content }).template;
};

const planOf = (template: MailTemplate): RenderPlan => ({
  send: {
    sendId: newId('send'),
    organizationId: newId('org'),
    organizationName: 'Garden Shop',
    campaignId: newId('cmp'),
    period: '2037-05-01',
    sender: { displayName: 'Shop', localPart: 'news', domain: 'shop.internal', mailFromDomain: 'b.shop.internal' },
    template,
    tracking: { opens: true, clicks: true },
  } as unknown as Send,
  ids: { organization: newUuid(), campaign: newUuid() },
  signing: { domain: 'shop.internal', selector: 't1', privateKey },
  linkKey: randomBytes(32),
  publicUrl: 'https://m.example.com',
  replyTo: addressOf('hello@shop.internal'),
  currentYear: 2037,
});

const recipientOf = (n: number): RenderRecipient => ({
  messageId: newUuid(),
  subscriberId: newUuid(),
  address: addressOf(`person-${n}@people.internal`),
  recipient: { values: { email: `person-${n}@people.internal`, name: `Ann${n} Bee` }, shows: [] },
});

/** Microseconds of processor time of this process, garbage collection included, for each of `messages` calls. */
const costOf = (work: (n: number) => void): number => {
  const before = process.cpuUsage();
  for (let n = 0; n < messages; n++) work(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / messages;
};

const people = Array.from({ length: 1000 }, (_, n) => recipientOf(n));
/** Where a message goes: the octets are copied once, as into a socket. */
const wire = Buffer.alloc(1024 * 1024);
let octets = 0;

function measure(name: string, template: MailTemplate): void {
  const plan = planOf(template);
  const sides = { whole: new WholeRenderer(plan), prepared: new CampaignRenderer(plan) };
  const rawOf = (made: ReturnType<WholeRenderer['make']> | ReturnType<CampaignRenderer['make']>): string =>
    'raw' in made ? made.raw : made.message.raw;
  const cost = { whole: [] as number[], prepared: [] as number[] };
  const signed = { whole: [] as number[], prepared: [] as number[] };
  const signatures: number[] = [];
  for (let round = -1; round < rounds; round++) {
    for (const side of ['whole', 'prepared'] as const) {
      const make = (n: number, signs: boolean): void => {
        octets = wire.write(rawOf(sides[side].make(people[n % people.length]!, { now, signs })), 'latin1');
      };
      const unsignedCost = costOf((n) => make(n, false));
      const signedCost = costOf((n) => make(n, true));
      // The first round warms up.
      if (round < 0) continue;
      cost[side].push(unsignedCost);
      signed[side].push(signedCost);
    }
    signatures.push(costOf(() => void sign('sha256', signedOctets, keys.privateKey)));
  }
  const signature = median(signatures);
  const row = (side: 'whole' | 'prepared') => ({
    name: side === 'whole' ? 'composed as a whole' : 'prepared',
    unsigned: median(cost[side]),
    'signed but for RSA': median(signed[side]) - signature,
  });
  const unsigned = median(cost.prepared);
  report(
    `rendering, ${name} of ${(octets / 1024).toFixed(1)} kB: ${messages} messages, ${rounds} rounds, medians; µs of processor time a message (RSA ${signature.toFixed(0)})`,
    [row('prepared'), row('whole')],
    [
      { name: 'µs a message, unsigned', value: unsigned, bar: '<= 80' },
      { name: 'against composing as a whole', value: unsigned / median(cost.whole), bar: '(no bar)' },
    ],
  );
}

measure('plain mail', plainMail());
measure('newsletter', goldenNewsletter());
