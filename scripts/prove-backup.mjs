#!/usr/bin/env node
/**
 * Proves backup and restore: a backup amid a campaign and an import, everything killed and wiped, damaged copies and a
 * wrong key refused, the restore into an empty installation, the release, the rest of the campaign. Prints one line a
 * claim, and ends with 1 when one does not hold.
 *
 *   node scripts/prove-backup.mjs [--recipients=20000] [--postgres=local|npm] [--account=NAME] [--closed] [--encrypt] [--logical]
 *
 * `--account`: root runs the installation as that ordinary account. `--closed`: the data directory lies where PostgreSQL's
 * own account may not enter.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from './launch/daemon.mjs';
import { ROOT } from './launch/paths.mjs';
import { connectPostgres } from './launch/postgres-check.mjs';
import { eventually } from './launch/process-record.mjs';
import { prepareBuild } from './launch/run-script.mjs';
import { say } from './launch/terminal.mjs';
import { Claims } from './prove/claims.mjs';
import { Installation, until } from './prove/installation.mjs';
import { linksOf } from './prove/mail-links.mjs';
import { patient } from './prove/patient-client.mjs';

const { values: typed } = parseArgs({
  options: {
    recipients: { type: 'string', default: '20000' },
    postgres: { type: 'string' },
    account: { type: 'string' },
    closed: { type: 'boolean' },
    encrypt: { type: 'boolean' },
    logical: { type: 'boolean' },
    rate: { type: 'string', default: '400' },
  },
});
const recipients = Number(typed.recipients);
const buildDir = process.env.TIDINGS_BUILD_DIR || (await prepareBuild());
const { SmtpSink } = await compiled('libs/testing/src/index.js');
const PatientClient = patient((await compiled('demo/demo-client.js')).DemoClient);
const batch = 500;

const folder = mkdtempSync(path.join(tmpdir(), 'tidings-prove-'));
const account = accountOf(typed.account);
const backupFile = path.join(folder, 'tidings.backup');
const passphraseFile = path.join(folder, 'passphrase');
const token = '7b'.repeat(32);
const port = await freePort();
const installation = new Installation({
  folder,
  port,
  account,
  settings: {
    BOOTSTRAP_TOKEN: token,
    SMTP_LISTEN_PORT: '0',
    TIDINGS_BUILD_DIR: buildDir,
    ...(typed.postgres && { TIDINGS_POSTGRES: typed.postgres }),
  },
});
const { dataDir } = installation;
const claims = new Claims();
const check = claims.check.bind(claims);

/** @param {string} file below the build @returns {Promise<any>} */
function compiled(file) {
  return import(pathToFileURL(path.join(buildDir, file)).href);
}

/** @param {string | undefined} name */
function accountOf(name) {
  if (!name) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  if (!line) throw new Error(`there is no account ${name}`);
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** @param {string[]} args @param {Record<string, string>} [more] */
async function tidings(args, more) {
  const heard = installation.launch(ROOT, ['tidings', ...args], more);
  return { status: await heard.status, out: heard.out, err: heard.err };
}

/** @param {string[]} args @param {Record<string, string>} [more] */
async function done(args, more) {
  const { status, out, err } = await tidings(args, more);
  if (status !== 0) throw new Error(`tidings ${args.join(' ')} ended with ${status}: ${err || out}`);
  return out;
}

const start = (/** @type {string} */ smtpUrl) =>
  installation.start(ROOT, [`--build=${buildDir}`], { SMTP_URL: smtpUrl });

/** Removes the installation, also where the database lies behind a link. */
function wipe() {
  const place = path.join(dataDir, 'postgres');
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const target = path.dirname(realpathSync(place));
    if (!target.startsWith('/var/lib/tidings/')) throw new Error(`${target} is no place of this proof`);
    rmSync(target, { recursive: true, force: true });
  }
  rmSync(dataDir, { recursive: true, force: true });
}

/** @param {string} statement @param {unknown[]} [values] @returns {Promise<any[]>} */
async function rows(statement, values = []) {
  const client = await connectPostgres(installation.runtime.environment.DATABASE_URL);
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

const email = (/** @type {number} */ n) => `p${n}@people.internal`;

async function prove() {
  chmodSync(folder, typed.closed ? 0o700 : 0o755);
  mkdirSync(path.join(folder, 'home'));
  writeFileSync(passphraseFile, 'a long and winding passphrase\n', { mode: 0o600 });
  if (account)
    for (const one of [folder, path.join(folder, 'home'), passphraseFile]) chownSync(one, account.uid, account.gid);

  // 1. A campaign and an import are in progress.
  // The relay takes a third before the backup is whole and some more after it, however slow the machine is.
  let most = recipients / 3;
  let goOn = () => {};
  let waits = new Promise((resolve) => (goOn = () => resolve(undefined)));
  const first = await SmtpSink.start({
    throttle: Number(typed.rate),
    behave: () => (first.accepted < most ? { do: 'accept' } : { do: 'wait', until: waits }),
  });
  const url = first.url;
  await start(url);
  const client = new PatientClient(`http://localhost:${port}`, token);
  for (let from = 0; from < recipients; from += batch) {
    const subscribers = Array.from({ length: Math.min(batch, recipients - from) }, (_, n) => ({
      email: email(from + n),
      tags: ['all'],
    }));
    await client.data('import_subscribers', { subscribers });
  }
  const { campaignId } = await client.data('create_campaign', {
    name: 'Spring news',
    subject: 'Spring',
    contentType: 'MARKDOWN',
    content: '[See what is new](https://tidings.internal/spring)\n\n[Unsubscribe]({{unsubscribeUrl}})',
  });
  await client.data('update_campaign_filters', {
    campaignId,
    filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['all'] }],
  });
  await client.confirmed('schedule_campaign', { campaignId });
  await until('a fifth went out', () => first.accepted >= recipients / 5);
  const contacts = path.join(folder, 'contacts.csv');
  const rowsToImport = Math.max(500, recipients / 4);
  writeFileSync(
    contacts,
    `email\n${Array.from({ length: rowsToImport }, (_, n) => `i${n}@import.internal`).join('\n')}\n`,
  );
  chmodSync(contacts, 0o644);
  const importing = tidings(['import', contacts]);

  // 2. Unsubscriptions up to the last moment; the backup.
  /** @type {Map<string, number>} when each was answered */
  const left = new Map();
  let isLeaving = true;
  const leaving = (async () => {
    for (let n = recipients - 1; isLeaving && n > recipients / 2; n--) {
      await client.data('unsubscribe', { email: email(n) });
      left.set(email(n), Date.now());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  leaving.catch(() => {});
  await until('some have left', () => left.size >= 5);
  const secret = typed.encrypt ? ['--passphrase-file', passphraseFile] : [];
  // One-click unsubscriptions that are accepted while the subscriber service is away wait at NATS.
  const { listWaitingChoices } = await compiled('libs/bus/src/index.js');
  const away = listWaitingChoices ? first.messages.slice(0, 5) : [];
  const { pid } = installation.runtime.services.subscriber;
  if (away.length > 0) process.kill(pid, 'SIGSTOP');
  for (const { raw } of away) await client.unsubscribe(linksOf(raw).unsubscribe);
  const backedUpAt = Date.now();
  const backup = JSON.parse(
    await done(['backup', backupFile, '--json', ...secret, ...(typed.logical ? ['--logical'] : [])]),
  );
  if (away.length > 0) process.kill(pid, 'SIGCONT');
  const seconds = ((Date.now() - backedUpAt) / 1000).toFixed(1);
  check(
    'the backup is taken while the campaign runs',
    first.accepted < recipients,
    `${first.accepted} of ${recipients} out, ${seconds} s, ${(backup.bytes / 1e6).toFixed(1)} MB`,
  );
  const mode = (lstatSync(backupFile).mode & 0o777).toString(8);
  check('the file is readable by its owner only', mode === '600', mode);
  const takenAt = Date.parse(backup.takenAt);
  const leftBefore = [...left].filter(([, at]) => at < takenAt).map(([address]) => address);
  const acceptedBefore = first.accepted;
  most = acceptedBefore + recipients / 10;
  goOn();
  waits = new Promise(() => {});
  await until('more mail goes out after the backup', () => first.accepted >= most);
  isLeaving = false;
  await installation.killAll();
  await Promise.allSettled([leaving, importing]);
  const { links: targets, unsubscribe } = linksOf(first.messages[0].raw);
  const links = { click: targets[0] ?? '', unsubscribe };
  const firstAccepted = new Map(first.counts);
  await first.stop();

  // 3. Everything is lost; what must be refused is refused.
  const before = path.join(folder, 'kept');
  wipe();
  const bytes = readFileSync(backupFile);
  const flipped = Buffer.from(bytes);
  const middle = Math.floor(bytes.length / 2);
  flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle);
  await refuses('a flipped bit', flipped, /damaged|decrypted/);
  await refuses('a cut file', bytes.subarray(0, Math.floor(bytes.length * 0.9)), /damaged/);
  await refuses('a wrong key', bytes, /another one/, [], { MASTER_KEY: '6b'.repeat(32) });
  check('nothing was made by what was refused', !existsSync(path.join(dataDir, 'postgres', 'PG_VERSION')));

  // 4. The restore.
  const trial = JSON.parse(await done(['restore', backupFile, '--verify-only', '--json', ...secret]));
  check(
    '--verify-only checks and changes nothing',
    trial.isTrial && !existsSync(path.join(dataDir, 'postgres', 'PG_VERSION')),
  );
  const restoredAt = Date.now();
  const restored = JSON.parse(await done(['restore', backupFile, '--json', ...secret]));
  const { campaigns, inDoubt } = restored.flight;
  check('the restore names the campaign in progress', campaigns.length === 1 && campaigns[0].total === recipients, {
    ...campaigns[0],
    inDoubt,
    seconds: ((Date.now() - restoredAt) / 1000).toFixed(1),
  });
  check('counts equal the manifest’s', restored.differences.length <= 12, restored.differences);
  const again = await tidings(['restore', backupFile, '--json', ...secret]);
  check(
    'a second restore refuses to write over data',
    again.status === 1 && /already holds/.test(again.err),
    again.err.trim(),
  );

  await refuses('a flipped bit, over data,', flipped, /damaged|decrypted/, ['--replace']);
  const replaced = JSON.parse(await done(['restore', backupFile, '--replace', '--json', ...secret]));
  check(
    '--replace moves the former directory aside',
    replaced.aside.length > 0 && replaced.aside.every((/** @type {string} */ one) => existsSync(one)),
    replaced.aside,
  );

  // 5. The start: mail is held, the campaign is paused.
  const second = await SmtpSink.start({});
  await start(second.url);
  const beside = await tidings(['restore', backupFile, '--replace', ...secret]);
  check(
    'a restore beside a running system is refused',
    beside.status === 1 && /already runs/.test(beside.err),
    beside.err.trim().slice(0, 80),
  );
  const progress = () => client.data('get_campaign_progress', { campaignId });
  const held = await progress();
  check('the campaign is PAUSED for RESTORED', held.paused && /^RESTORED/.test(held.pausedReason), held.pausedReason);
  const receipt = { to: 'owner@single.internal', from: await sender(), subject: 'Receipt', html: '<p>Thanks</p>' };
  await client.confirmed('send_email', receipt);
  const known = await rows(
    `select email, state from delivery.any_message where kind = 'CAMPAIGN' and state not in ('QUEUED', 'DEFERRED', 'SKIPPED')
     union all
     select u.email, 'MARKED' from delivery.send_attempt a join delivery.send s using (organization_id, send_id)
     join subscriber.audience_page p on p.organization_id = s.organization_id and p.audience_id = s.audience_id and p.page_no = a.chunk_no
     cross join generate_series(0, 511) place
     join subscriber.subscriber u on u.organization_id = s.organization_id and u.subscriber_id = p.subscriber_ids[place + 1]
     where get_bit(a.attempted, place) = 1 and not exists (
       select from delivery.campaign_message m where m.message_id = delivery.message_at(a.send_id, a.chunk_no, place))`,
  );
  check(
    'the restore counts each message that is sent or in doubt',
    campaigns[0].sent + campaigns[0].inDoubt === known.length,
    `${campaigns[0].sent} + ${campaigns[0].inDoubt}, ${known.length} known`,
  );
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  check('nothing goes out while mail is held', second.accepted === 0, `${second.accepted} went out`);
  const gone = await rows(
    `select email from subscriber.subscriber where email = any($1) and status <> 'UNSUBSCRIBED'`,
    [leftBefore],
  );
  check(
    'unsubscriptions answered before the end of the backup hold',
    gone.length === 0,
    `${leftBefore.length} of them, ${gone.length} lost`,
  );

  if (away.length > 0) {
    check('unsubscriptions that waited at NATS are in the backup', restored.choices >= away.length, restored.choices);
    const applied = async () =>
      (
        await rows(`select from subscriber.subscriber where email = any($1) and status = 'UNSUBSCRIBED'`, [
          away.map((/** @type {{ to: string }} */ one) => one.to),
        ])
      ).length === away.length;
    check('they are applied after the restore', await eventually(applied, 30_000));
  }

  // 6. The release, the rest.
  await done(['mail', 'release', '--json']);
  await done(['campaign', 'resume', campaignId, '--yes']);
  await until('the campaign ends', async () => (await progress()).finishedAt !== null);
  const end = await progress();
  const skipped = Object.values(end.skipped).reduce((/** @type {number} */ sum, n) => sum + Number(n), 0);
  check('sent + not sent + in doubt = all', end.sent + end.failed + skipped + end.inDoubt === recipients, end);
  const knownTo = new Set(known.map((one) => one.email));
  const counts = /** @type {Map<string, number>} */ (second.counts);
  const repeated = [...counts.keys()].filter((to) => knownTo.has(to));
  check(
    'no one whom the backup knew as sent or marked gets it again',
    repeated.length === 0,
    `${knownTo.size} known, ${repeated.length} again`,
  );
  check(
    'no one gets it twice after the restore',
    [...counts.values()].every((n) => n === 1),
    `${counts.size} got it now`,
  );
  const missing = Array.from({ length: recipients }, (_, n) => email(n)).filter(
    (to) => !counts.has(to) && !knownTo.has(to) && !left.has(to),
  );
  check('single mail that was accepted while mail was held arrives', counts.get(receipt.to) === 1);
  check('all others have it', missing.length === 0, `${missing.length} missing`);
  const both = [...firstAccepted.keys()].filter((to) => counts.has(to) && to.includes('people'));
  say(`     ${both.length} got it after the backup and again: the backup cannot know of them`);

  // 7. Old mail works; history is there.
  for (const [name, link] of Object.entries(links)) {
    const answer = await fetch(link.replace(/^https?:\/\/[^/]+/, `http://localhost:${port}`), { redirect: 'manual' });
    check(`the ${name} link of old mail works`, answer.status < 400, String(answer.status));
  }
  const knownOne = known.find(({ state }) => state === 'SENT' || state === 'DELIVERED')?.email;
  const events = async () => (await client.data('list_subscriber_events', { email: knownOne })).events;
  const isThere = async () => JSON.stringify(await events()).includes(campaignId);
  check('the history of an old recipient is there', await eventually(isThere, 20_000), await events());
  await second.stop();
  rmSync(before, { recursive: true, force: true });

  async function sender() {
    const { senders } = await client.data('get_email_senders', {});
    return senders[0].email;
  }

  /** @param {string} what @param {Buffer} content @param {RegExp} why @param {string[]} [args] @param {Record<string, string>} [more] */
  async function refuses(what, content, why, args = [], more = {}) {
    const file = path.join(folder, 'copy.backup');
    writeFileSync(file, content, { mode: 0o600 });
    if (account) chownSync(file, account.uid, account.gid);
    const { status, err } = await tidings(['restore', file, ...args, ...secret], more);
    check(`${what} is refused`, status === 1 && why.test(err), err.trim().split('\n').at(-1));
    rmSync(file);
  }
}

const who = account ? typed.account : execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
await claims.run(prove, {
  about: `${recipients} recipients, ${who}, PostgreSQL ${typed.postgres ?? 'found'}`,
  cleanUp: async () => {
    await installation.killAll();
    if (process.env.KEEP_PROOF) return;
    wipe();
    rmSync(folder, { recursive: true, force: true });
  },
});
