#!/usr/bin/env node
/**
 * Proves the upgrade of a large installation: an older version sends campaigns and holds millions of old messages; the
 * new version migrates its database while it sends, takes over the campaign, and sends the next one. Old links, return
 * paths, reports and histories must answer as before, and no call may take longer than a second. Prints one line a claim,
 * and ends with 1 when one does not hold.
 *
 *   node scripts/prove-upgrade.mjs --from=COMMIT [--messages=5000000] [--recipients=100000]
 *
 * It needs the repository's history, Linux, and about 2.5 kB of disk for each old message.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createTransport } from 'nodemailer';
import { freePort } from './launch/daemon.mjs';
import { ROOT } from './launch/paths.mjs';
import { connectPostgres } from './launch/postgres-check.mjs';
import { prepareBuild } from './launch/run-script.mjs';
import { say } from './launch/terminal.mjs';
import { CallProbe } from './prove/call-probe.mjs';
import { Claims } from './prove/claims.mjs';
import { fillInstallation } from './prove/fill-installation.mjs';
import { Installation, until } from './prove/installation.mjs';
import { linksOf } from './prove/mail-links.mjs';
import { patient } from './prove/patient-client.mjs';

const { values: typed } = parseArgs({
  options: {
    from: { type: 'string' },
    messages: { type: 'string', default: '5000000' },
    recipients: { type: 'string', default: '100000' },
  },
});
if (!typed.from) throw new Error('Name the older version: --from=COMMIT');
const recipients = Number(typed.recipients);
/** Recipients of the first campaign, which is copied until all old messages are there. */
const firstRecipients = Math.min(20_000, recipients / 2);
/** People who get no later campaign, so that their answers stay the same. */
const oldOnly = 200;
const batch = 500;
const CALL_MS_MAX = 1_000;

const buildDir = process.env.TIDINGS_BUILD_DIR || (await prepareBuild());
/** @param {string} file below the build @returns {Promise<any>} */
const compiled = (file) => import(pathToFileURL(path.join(buildDir, file)).href);
const { SmtpSink } = await compiled('libs/testing/src/index.js');
const { DemoClient } = await compiled('demo/demo-client.js');
const { uuidOf, wireId } = await compiled('libs/database/src/index.js');

const folder = mkdtempSync(path.join(tmpdir(), 'tidings-upgrade-'));
const older = path.join(folder, 'older');
const token = '7b'.repeat(32);
const port = await freePort();
const listenPort = await freePort();
const installation = new Installation({
  folder,
  port,
  settings: { BOOTSTRAP_TOKEN: token, SMTP_LISTEN_PORT: String(listenPort), SMTP_CONNECTIONS: '20' },
});
const claims = new Claims();
const check = claims.check.bind(claims);

/** @param {import('./prove/installation.mjs').Launched} launched */
async function stop({ child, status }) {
  child.kill('SIGTERM');
  await status;
}

const email = (/** @type {number} */ n) => `p${n}@people.internal`;
const url = `http://localhost:${port}`;
const client = new (patient(DemoClient))(url, token);

/** @param {string} name @param {string} tag @returns {Promise<string>} the id of a campaign that is being sent */
async function sendCampaign(name, tag) {
  const { campaignId } = await client.data('create_campaign', {
    name,
    subject: `${name} for {{firstName | 'you'}}`,
    contentType: 'MARKDOWN',
    content: '[See what is new](https://tidings.internal/spring)\n\n[Unsubscribe]({{unsubscribeUrl}})',
  });
  const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }];
  await client.data('update_campaign_filters', { campaignId, filters });
  await client.confirmed('schedule_campaign', { campaignId });
  return campaignId;
}

const progress = (/** @type {string} */ campaignId) => client.data('get_campaign_progress', { campaignId });

/** Every address of a mail, on the port of the proof. @param {string} raw */
function addressesOf(raw) {
  const { links, images, unsubscribe } = linksOf(raw);
  return [...links, ...images, unsubscribe].map((link) => link.replace(/^https?:\/\/[^/]+/, url));
}

/** What a link answers, without going on to where it leads. @param {string} link */
async function answerOf(link) {
  const reader = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Thunderbird' };
  const { status, headers } = await fetch(link, { redirect: 'manual', headers: reader });
  return `${status} ${headers.get('content-type') ?? ''} ${headers.get('location')?.split('?')[0] ?? ''}`;
}

/** Everything that is asked before and after. @param {string[]} campaigns @param {string} copied the name of a copy */
async function readAnswers(campaigns, copied) {
  /** @type {[string, object][]} */
  const calls = campaigns.flatMap((campaignId) => [
    ['get_campaign_analytics', { campaignId }],
    ['get_campaign_progress', { campaignId }],
    ['get_campaign', { campaignId }],
  ]);
  for (const n of [0, 1, 7]) {
    calls.push(['get_subscriber_emails', { email: email(n), limit: 50 }]);
    calls.push(['list_subscriber_events', { email: email(n), limit: 50 }]);
    calls.push(['get_subscriber', { email: email(n) }]);
  }
  calls.push(['list_campaigns', { search: copied }]);
  for (const operator of ['HAPPENED', 'NOT_HAPPENED']) {
    const event = { type: 'EVENT', field: 'EMAIL_OPENED', operator };
    const group = { type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['old'] };
    calls.push(['count_subscribers', { filters: [group, event] }]);
  }
  /** @type {Map<string, unknown>} */
  const answers = new Map();
  for (const [tool, input] of calls) {
    const answer = await client.data(tool, input).catch((/** @type {Error} */ error) => error.message);
    answers.set(`${tool} ${JSON.stringify(input)}`, answer);
  }
  return answers;
}

/** @param {string} when @param {Map<string, unknown>} before @param {Map<string, unknown>} after */
function compare(when, before, after) {
  const changed = [...before].filter(([call, answer]) => JSON.stringify(after.get(call)) !== JSON.stringify(answer));
  check(
    `${before.size} reports, histories and counts answer as before, ${when}`,
    changed.length === 0,
    changed[0]?.[0],
  );
  for (const [call, answer] of changed.slice(0, 3))
    say(`     ${call}\n     was ${JSON.stringify(answer)}\n     is  ${JSON.stringify(after.get(call))}`);
}

/** @param {string} from the return path @param {string} to */
async function bounce(from, to) {
  const report = [
    ...['From: <MAILER-DAEMON@mx.internal>', 'Subject: Undelivered Mail', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', '', '--b'],
    ...['Content-Type: text/plain', '', 'It came back.', '', '--b', 'Content-Type: message/delivery-status', ''],
    ...['Reporting-MTA: dns; mx.internal', '', `Final-Recipient: rfc822; ${to}`, 'Action: failed'],
    ...['Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 No such user', '', '--b--', ''],
  ].join('\r\n');
  const transport = createTransport({ host: '127.0.0.1', port: listenPort, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: '', to: from }, raw: report });
  transport.close();
}

async function prove() {
  mkdirSync(path.join(folder, 'home'));
  mkdirSync(older);
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', String(typed.from), older], { cwd: ROOT });

  // 1. The older version has people, and has sent.
  const relayPort = await freePort();
  const relayUrl = `smtp://127.0.0.1:${relayPort}`;
  const first = await SmtpSink.start({ port: relayPort });
  const old = await installation.start(older, [], { SMTP_URL: relayUrl });
  say(`     ${typed.from} is ready`);
  const postgres = await connectPostgres(installation.runtime.environment.DATABASE_URL);
  await postgres.query('update domain.organization set rate_per_minute = 1000000');
  for (let from = 0; from < recipients + oldOnly; from += batch) {
    const subscribers = Array.from({ length: Math.min(batch, recipients + oldOnly - from) }, (_, n) => ({
      email: email(from + n),
      name: `Person ${from + n}`,
      tags: [...(from + n < firstRecipients ? ['first'] : []), from + n < oldOnly ? 'old' : 'all'],
    }));
    await client.data('import_subscribers', { subscribers });
  }
  const campaignA = await sendCampaign('Spring', 'first');
  await until('the first campaign ends', async () => (await progress(campaignA)).finishedAt !== null);
  const mails = new Map(first.messages.map((/** @type {any} */ mail) => [mail.to, mail]));
  const mailOf = (/** @type {number} */ n) => /** @type {any} */ (mails.get(email(n)));
  const oldLinks = [0, 1, 2, 3, 4].flatMap((n) => addressesOf(mailOf(n).raw));
  const linkAnswers = await Promise.all(oldLinks.map(answerOf));
  await bounce(mailOf(5).from, email(5));
  await until('a bounce is counted', async () => (await progress(campaignA)).bounced === 1);
  await new Promise((resolve) => setTimeout(resolve, 5_000));

  // 2. It has had many such campaigns.
  const copies = Math.ceil(Number(typed.messages) / firstRecipients);
  const filledAt = Date.now();
  const filled = await fillInstallation(postgres, { campaignUuid: uuidOf('cmp', campaignA), copies, say });
  say(
    `     ${filled.messages} old messages in ${filled.campaignUuids.length} campaigns, ${(filled.bytes / 1e9).toFixed(2)} GB, ${((Date.now() - filledAt) / 1000).toFixed(0)} s`,
  );
  const watched = [campaignA, ...filled.campaignUuids.slice(0, 2).map((id) => wireId('cmp', id))];
  const before = await readAnswers(watched, 'Copy 1');

  // 3. The new version migrates while the older one sends.
  await first.stop();
  const second = await SmtpSink.start({ port: relayPort, forget: true, throttle: 300 });
  const campaignB = await sendCampaign('Summer', 'all');
  await until('the second campaign is under way', () => second.accepted > recipients / 20);
  const probe = new CallProbe(new DemoClient(url, token), [
    ['list_subscribers', { limit: 20 }],
    ['get_campaign_analytics', { campaignId: campaignA }],
    ['get_campaign_progress', { campaignId: campaignB }],
    ['add_subscriber', { email: 'new@people.internal' }],
    ['list_subscriber_events', { email: email(1) }],
    ['get_subscriber_emails', { email: email(1) }],
  ]);
  await probe.during('idle', () => new Promise((resolve) => setTimeout(resolve, 5_000)));
  const migration = await probe.during('migrating', async () => {
    const heard = installation.launch(ROOT, ['tidings', 'migrate', 'up'], { TIDINGS_BUILD_DIR: buildDir });
    return { status: await heard.status, text: heard.out + heard.err };
  });
  check('the migrations apply while the older version sends', migration.status === 0 && second.accepted < recipients, {
    sent: second.accepted,
    seconds: (migration.ms / 1000).toFixed(1),
  });
  if (migration.status !== 0) say(migration.text);
  check(
    'no call fails or takes longer than a second meanwhile',
    migration.failed === 0 && migration.slowest <= CALL_MS_MAX,
    migration.calls,
  );
  compare('with the new schema', before, await readAnswers(watched, 'Copy 1'));

  // 4. The new version takes over the campaign in its middle.
  const stoppedAt = Date.now();
  await stop(old);
  const taken = second.accepted;
  const current = await installation.start(ROOT, [`--build=${buildDir}`], { SMTP_URL: relayUrl });
  check('the new version starts in the middle of a campaign', taken < recipients, {
    sent: taken,
    seconds: ((Date.now() - stoppedAt) / 1000).toFixed(1),
  });
  await until('the second campaign ends', async () => (await progress(campaignB)).finishedAt !== null);
  const end = await progress(campaignB);
  const twice = [...second.counts.values()].filter((n) => n > 1).length;
  check(
    'every recipient of that campaign is counted, none has two mails',
    twice === 0 && second.counts.size + end.inDoubt >= recipients,
    {
      got: second.counts.size,
      sent: end.sent,
      inDoubt: end.inDoubt,
      twice,
    },
  );
  compare('with the new version', before, await readAnswers(watched, 'Copy 1'));

  // 5. The next campaign uses the new format.
  await second.stop();
  const third = await SmtpSink.start({ port: relayPort, forget: true });
  const reader = await connectPostgres(installation.runtime.environment.DATABASE_URL);
  const enabled = `select from delivery.feature where name in ('send.ledger', 'messages.settled') and enabled_at is not null`;
  const isEnabled = async () => (await reader.query(enabled)).rowCount === 2;
  await until('the new format is enabled', isEnabled);
  // An older version that has the ledger left rows of its own.
  const countRows = async () =>
    (await reader.query('select count(*)::int as n from delivery.campaign_message')).rows[0].n;
  const rowsBefore = await countRows();
  let campaignC = '';
  const sending = await probe.during('sending', async () => {
    campaignC = await sendCampaign('Autumn', 'all');
    await until('the third campaign ends', async () => (await progress(campaignC)).finishedAt !== null);
  });
  const rows = (await countRows()) - rowsBefore;
  check('a campaign of the new version is on the ledger', rows === recipients, rows);
  check('every recipient has one mail', third.counts.size === recipients && third.accepted === recipients, {
    got: third.counts.size,
    mails: third.accepted,
    aSecond: Math.round(recipients / (sending.ms / 1000)),
  });
  check(
    'no call fails or takes longer than a second meanwhile',
    sending.failed === 0 && sending.slowest <= CALL_MS_MAX,
    sending.calls,
  );
  compare('after that campaign', before, await readAnswers(watched, 'Copy 1'));

  // 6. Old mail works.
  const now = await Promise.all(oldLinks.map(answerOf));
  check(
    `${oldLinks.length} links of old mail answer as before`,
    JSON.stringify(now) === JSON.stringify(linkAnswers),
    now[0],
  );
  await bounce(mailOf(6).from, email(6));
  await until('a bounce by an old return path is counted', async () => (await progress(campaignA)).bounced === 2);
  check('an old return path takes a bounce', true);
  await reader.end();
  await postgres.end().catch(() => {});
  await third.stop();
  await stop(current);
}

await claims.run(prove, {
  about: `from ${typed.from}, ${typed.messages} old messages`,
  cleanUp: async () => {
    await installation.killAll();
    if (!process.env.KEEP_PROOF) rmSync(folder, { recursive: true, force: true });
  },
});
