import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { SmtpSink, TestSystem, until } from '#testing';
import type { ReceivedMessage } from '#testing';
import { DemoClient } from './demo-client.js';

/**
 * The whole job on a system of its own: imports the bundled contacts, tags half of them, sends that half a personalised
 * campaign through real SMTP to this program's own sink, then reads, clicks and unsubscribes as people would.
 */
interface Contact {
  email: string;
  name: string;
  town: string;
}

const tag = 'spring';
const openers = 300;
const clickers = 120;
const leavers = 50;
/** Clicks and opens sooner than this after the mail was accepted count as a machine's. */
const readingTimeMs = 2_500;

async function demo(): Promise<void> {
  const {
    TIDINGS_BUILD_DIR: buildDir,
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    MASTER_KEY: masterKey,
  } = process.env;
  if (!buildDir || !databaseUrl || !natsUrl || !masterKey) throw new Error('Start this with npm run demo.');
  const sink = await SmtpSink.start();
  say('starting the system, with a mail sink of its own');
  const system = await TestSystem.start({
    buildDir,
    databaseUrl,
    natsUrl,
    masterKey,
    environment: { SMTP_URL: sink.url },
    processes: ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'],
  });
  try {
    const client = new DemoClient(system.url(), system.apiToken);
    const contacts = await importContacts(client);
    const tagged = contacts.filter((_contact, n) => n % 2 === 0);
    await sendCampaign(client, tagged.length);
    const verdict = await judge(sink.messages, tagged);
    const links = await Promise.all(verdict.messages.map(linksOf));
    await new Promise((resolve) => setTimeout(resolve, readingTimeMs));
    say(`${openers} people open their mail, ${clickers} click, ${leavers} unsubscribe with one click`);
    await Promise.all(links.slice(0, openers).map(({ pixel }) => client.visit(pixel)));
    await Promise.all(links.slice(0, clickers).map(({ click }) => client.visit(click)));
    await Promise.all(links.slice(-leavers).map(({ oneClick }) => client.unsubscribe(oneClick)));
    const effects = await effectsOf(client);
    print({ ...verdict.counts, ...effects });
    const good =
      verdict.counts.accepted === tagged.length &&
      verdict.counts.duplicates + verdict.counts.missing === 0 &&
      verdict.counts.personalised === tagged.length &&
      effects.unsubscribed === leavers &&
      effects.opens === openers &&
      effects.clicks === clickers;
    if (!good) process.exitCode = 1;
  } finally {
    await system.stop();
    await sink.stop();
  }
}

async function importContacts(client: DemoClient): Promise<Contact[]> {
  const file = readFileSync(new URL('contacts.csv', import.meta.url));
  const contacts = parse(file, { columns: true }) as unknown as Contact[];
  const outside = contacts.filter(({ email }) => !email.toLowerCase().endsWith('.internal'));
  if (outside.length > 0) throw new Error('The demo writes to addresses below .internal only.');
  for (let from = 0; from < contacts.length; from += 500) {
    const subscribers = contacts.slice(from, from + 500).map(({ email, name, town }, n) => ({
      email,
      name,
      fields: { town },
      ...((from + n) % 2 === 0 && { tags: [tag] }),
    }));
    const { failed } = await client.data<{ failed: number }>('import_subscribers', { subscribers });
    if (failed > 0) throw new Error(`${failed} contacts were refused.`);
  }
  const { total } = await client.data<{ total: number }>('count_subscribers', {});
  say(`imported ${total} contacts`);
  return contacts;
}

async function sendCampaign(client: DemoClient, expected: number): Promise<void> {
  const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', {
    name: 'Spring news',
    subject: "{{firstName | 'Friend'}}, spring is here",
    preview: 'What is new in {{town}}',
    contentType: 'MARKDOWN',
    content: [
      "# Hello {{name | 'friend'}}",
      'Spring has come to **{{town}}**. [See what is new](https://tidings.internal/spring).',
      '[Unsubscribe]({{unsubscribeUrl}})',
    ].join('\n\n'),
  });
  const { recipientCount } = await client.data<{ recipientCount: number }>('update_campaign_filters', {
    campaignId,
    filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }],
  });
  if (recipientCount !== expected)
    throw new Error(`The campaign counts ${recipientCount} recipients, not ${expected}.`);
  say(await client.confirmed('schedule_campaign', { campaignId }));
  const started = Date.now();
  const progress = () => client.data<{ status: string; sent: number }>('get_campaign_progress', { campaignId });
  await until('the campaign is SENT', async () => (await progress()).status === 'SENT', 190_000);
  say(`sent ${(await progress()).sent} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** What the sink says: who got it how often, and whether it was theirs. */
async function judge(messages: readonly ReceivedMessage[], expected: readonly Contact[]) {
  const byAddress = new Map<string, ReceivedMessage[]>();
  for (const message of messages)
    byAddress.set(message.to.toLowerCase(), [...(byAddress.get(message.to.toLowerCase()) ?? []), message]);
  let personalised = 0;
  const links = new Set<string>();
  for (const { email, name, town } of expected) {
    const message = byAddress.get(email.toLowerCase())?.[0];
    if (!message) continue;
    const { subject, html, text, headers } = await PostalMime.parse(message.raw);
    const oneClick = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const own = !links.has(oneClick) && oneClick.startsWith('<http');
    links.add(oneClick);
    const plain = (text ?? '').normalize('NFC');
    if (
      own &&
      plain.includes(name) &&
      plain.includes(town) &&
      html?.includes(town) &&
      subject?.startsWith(`${name.split(' ')[0]}, `)
    )
      personalised += 1;
  }
  return {
    messages: expected.flatMap(({ email }) => byAddress.get(email.toLowerCase())?.slice(0, 1) ?? []),
    counts: {
      accepted: messages.length,
      duplicates: messages.length - byAddress.size,
      missing: expected.filter(({ email }) => !byAddress.has(email.toLowerCase())).length,
      personalised,
    },
  };
}

async function linksOf({ raw }: ReceivedMessage) {
  const { html = '', headers } = await PostalMime.parse(raw);
  const find = (pattern: RegExp) => pattern.exec(html)?.[0].replaceAll('&amp;', '&') ?? '';
  return {
    pixel: find(/https?:\/\/[^"\s]+\/o\/[\w-]+/),
    click: find(/https?:\/\/[^"\s]+\/c\/[\w-]+/),
    oneClick: /<(https?:[^>]+)>/.exec(headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '')?.[1] ?? '',
  };
}

/** The recipients' actions as the API reports them, once the events have arrived. */
async function effectsOf(client: DemoClient) {
  const count = async (filter: object, status = 'ALL') =>
    (await client.data<{ total: number }>('count_subscribers', { filters: [filter], status })).total;
  const opened = () => count({ type: 'EVENT', field: 'EMAIL_OPENED', operator: 'HAPPENED' });
  const clicked = () => count({ type: 'EVENT', field: 'EMAIL_CLICKED', operator: 'HAPPENED' });
  const unsubscribed = await count(
    { type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] },
    'UNSUBSCRIBED',
  );
  await until(
    'opens and clicks are counted',
    async () => (await opened()) >= openers && (await clicked()) >= clickers,
    90_000,
  ).catch(() => undefined);
  return { unsubscribed, opens: await opened(), clicks: await clicked() };
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

function print(counts: Record<string, number>): void {
  say('');
  for (const [what, count] of Object.entries(counts)) say(`  ${what.padEnd(14)} ${count}`);
}

await demo();
