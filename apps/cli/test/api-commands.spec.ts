import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { newId, newUuid } from '#database';
import { deriveKey, OperatorPasses } from '#link-token';
import { SmtpSink, until } from '#testing';
import { startSystem } from '../../../test/harness/started-services.js';
import { cliFixture } from './cli-fixture.js';
import type { TypedCommand } from './cli-fixture.js';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts on the shape it reads
type Json = Record<string, any>;

const markdown = '# Spring\n\nDear {{firstName | "reader"}}, hello.\n\n[Unsubscribe]({{unsubscribeUrl}})\n';

describe('the command on a running system', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli spec '));
  let sink: SmtpSink;
  let system: Awaited<ReturnType<typeof startSystem>>;
  let database: DataSource;
  /** Without a person at the terminal. */
  let type: TypedCommand;

  beforeAll(async () => {
    sink = await SmtpSink.start({ throttle: 50 });
    system = await startSystem({ SMTP_URL: sink.url });
    type = cliFixture(system.config);
    database = await new DataSource({ type: 'postgres', url: system.databaseUrl }).initialize();
  });
  afterAll(async () => {
    await database.destroy();
    await system.stop();
    await sink.stop();
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, text: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const organization = async (name: string) => (await type('org', 'create', name)).last;
  /** Runs commands in one organization. */
  const within =
    (org: string, command = type): TypedCommand =>
    (...args) =>
      command(...args, '--org', org);
  const data = async (of: TypedCommand, tool: string, input: object = {}) => {
    const called = await of('call', tool, JSON.stringify(input), '--yes');
    expect(called).toMatchObject({ status: 0, noted: [] });
    return JSON.parse(called.last) as Json;
  };
  const json = (line: string | undefined) => JSON.parse(line!) as Record<string, unknown>;
  /** Creates a DRAFT to 600 subscribers. @returns its id */
  async function draft(of: TypedCommand): Promise<string> {
    const rows = Array.from({ length: 600 }, (_, n) => `p${n}@people.internal`);
    const imported = await of('imports', 'run', file('all.csv', `email\n${rows.join('\n')}`), '--yes');
    expect(imported).toMatchObject({ status: 0, last: '600 rows: 600 new, 0 updated, 0 unchanged, 0 refused.' });
    const content = file('spring.md', markdown);
    return (await of('campaigns', 'create', '--subject', 'Hello', '--name', 'Spring', '--content', content)).last;
  }

  describe('campaigns and sends', () => {
    it('creates a campaign from a file for a tag, shows it, and previews it for a subscriber', async () => {
      const of = within(await organization('Writers'));
      await data(of, 'add_subscriber', { email: 'ada@people.internal', name: 'Ada Lovelace', tags: ['vip'] });
      await data(of, 'add_subscriber', { email: 'bob@people.internal' });
      const content = file('mail.md', markdown);
      const made = await of('campaigns', 'create', '--subject', 'Hi', '--content', content, '--tag', 'vip');
      expect(made).toMatchObject({
        status: 0,
        said: [expect.stringContaining('goes to 1 subscriber now'), expect.stringMatching(/^cmp_/)],
      });
      expect((await of('campaigns', 'info', made.last)).said.join('\n')).toMatch(/Status +DRAFT\n[^]*Filters +.*"TAG"/);
      expect((await of('campaigns', 'list', '--status', 'DRAFT')).last).toBe('1 campaign.');
      const html = join(folder, 'mail.html');
      const preview = await of(
        'campaigns',
        'preview',
        made.last,
        '--subscriber',
        'ada@people.internal',
        '--html',
        html,
      );
      expect(preview.said.join('\n')).toMatch(/^Subject: Hi\n[^]*Dear Ada, hello\.[^]*1 (subscriber|recipient)/);
      expect(readFileSync(html, 'utf8')).toContain('Dear Ada');
    });

    it('leaves a DRAFT and names it when its filters are refused', async () => {
      const of = within(await organization('Filters'));
      const content = file('mail.md', markdown);
      const made = await of('campaigns', 'create', '--subject', 'Hi', '--content', content, '--segment', 'None');
      expect(made).toMatchObject({
        status: 1,
        noted: [expect.stringMatching(/The campaign cmp_\w+ exists without filters/)],
      });
    });

    it('sends nothing until a person agrees, with the sentence of the API', async () => {
      const org = await organization('Careful');
      const id = await draft(within(org));
      const asked = await within(org)('campaigns', 'send', id);
      expect(asked).toMatchObject({
        status: 4,
        noted: [expect.stringContaining('600'), 'Go on?', expect.stringMatching(/^Not confirmed/)],
      });
      const refused = await within(org, cliFixture(system.config, false))('campaigns', 'send', id);
      expect(refused.status).toBe(4);
      expect(json((await within(org)('campaigns', 'send', id, '--json')).noted.at(-1))).toMatchObject({
        code: 'CONFIRMATION_REQUIRED',
        message: expect.any(String),
      });
      expect((await within(org)('campaigns', 'info', id)).said.join('\n')).toMatch(/Status +DRAFT/);
      const later = await within(org, cliFixture(system.config, true))(
        'campaigns',
        'send',
        id,
        '--at',
        '2126-01-01T09:00+01:00',
      );
      expect(later).toMatchObject({
        status: 0,
        last: `Campaign ${id} goes out at 2126-01-01T08:00:00.000Z to 600 subscribers.`,
      });
      expect((await within(org)('campaigns', 'send', id, '--at', 'tomorrow')).status).toBe(2);
    });

    it('watches a send, pauses it, resumes it, shows it and stops it', async () => {
      const of = within(await organization('Sends'));
      const id = await draft(of);
      const watched = of('campaigns', 'send', id, '--yes', '--watch', '--json');
      const before = sink.accepted;
      await until('mail goes out', () => sink.accepted > before + 20, 60_000);
      expect((await of('campaign', 'pause', id)).said).toEqual([`Campaign ${id} is paused.`]);
      const list = await of('sends', 'list');
      expect(list.last).toMatch(new RegExp(`^send_\\w+ +PAUSED +600 +\\S+ +- +${id} +Spring$`));
      const send = list.last.split(' ')[0]!;
      expect((await of('sends', 'show', send)).said.join('\n')).toMatch(
        /State +PAUSED: Paused by request\.\n[^]*Recipients +600\n +sent +\d+\n/,
      );
      expect((await of('campaigns', 'resume', id)).status).toBe(4);
      expect((await of('campaigns', 'resume', id, '--yes')).last).toBe(`Campaign ${id} goes on.`);
      const paused = sink.accepted;
      await until('mail goes out again', () => sink.accepted > paused + 10, 60_000);
      expect((await of('campaigns', 'stop', id, '--yes')).status).toBe(0);
      const { status, said } = await watched;
      expect(status).toBe(0);
      const events = said.map(json);
      expect(events[0]).toMatchObject({ campaignId: id, recipientCount: 600 });
      expect(events.slice(1).map((event) => event.status)).toContain('SENDING');
      expect(events.at(-1)).toMatchObject({ status: 'SENT', skipped: { STOPPED: expect.any(Number) } });
      expect((await of('sends', 'watch', send)).last).toMatch(/ SENT \d+ of 600 sent, 0 failed/);
      expect((await of('campaigns', 'resume', id, '--yes')).noted.join('\n')).toMatch(/only a SENDING campaign can be/);
      expect((await of('campaigns', 'retry', id, '--yes')).last).toBe(`Campaign ${id} is sent again to 0 recipients.`);
    });

    it('shows no organization the sends of another', async () => {
      const [tenant, otherTenant] = [await organization('Ours'), await organization('Theirs')];
      const id = (
        await within(otherTenant)('campaigns', 'create', '--subject', 'x', '--content', file('x.md', markdown))
      ).last;
      for (const words of [['info'], ['pause'], ['stop'], ['watch'], ['preview']])
        expect({
          words,
          ...(await within(tenant)('campaigns', ...words, id, ...(words[0] === 'stop' ? ['--yes'] : []))),
        }).toMatchObject({ words, status: 1, said: [] });
    });
  });

  describe('imports', () => {
    it('imports a file with tags, and reports every refused row with its line', async () => {
      const of = within(await organization('Import'));
      const rows = [
        'email,First name,last name,city,tags',
        'ada@people.internal,Ada,Lovelace,London,"vip,math"',
        'no-address,Nobody,,,',
        'zoe@people.internal,Zoë,,"Paris\nNord",',
        'ADA@people.internal,Ada,King,,vip',
      ];
      const csv = file('my contacts.csv', rows.join('\n'));
      const report = join(folder, 'refused.csv');
      const asked = await of('imports', 'run', csv);
      expect(asked).toMatchObject({ status: 4, said: [] });
      expect(asked.noted[0]).toMatch(/^4 rows: 2 new, .*refused: 1 EMAIL_INVALID\.$/);
      const run = await of('import', csv, '--tag', 'spring', '--tag', 'fair', '--report', report, '--yes');
      expect(run).toMatchObject({
        status: 3,
        last: expect.stringMatching(/^4 rows: 2 new, 1 updated, 0 unchanged, 1 refused\.$/),
      });
      expect(readFileSync(report, 'utf8')).toMatch(/^"?line"?,[^]*\n"?3"?,"?EMAIL_INVALID/);
      const { subscriber } = await data(of, 'get_subscriber', { email: 'ada@people.internal' });
      expect(subscriber).toMatchObject({ name: 'Ada King', status: 'SUBSCRIBED' });
      expect((subscriber as { tags: { name: string }[] }).tags.map(({ name }) => name).sort()).toEqual([
        'fair',
        'math',
        'spring',
        'vip',
      ]);
      expect((await of('imports', 'list')).said.join('\n')).toMatch(/DONE +my contacts\.csv +4 +2 +1 +1 /);
    });

    it('shows the first refused rows when no report is asked for', async () => {
      const of = within(await organization('Refused'));
      const csv = file('bad.csv', `email\n${Array.from({ length: 30 }, (_, n) => `bad${n}`).join('\n')}`);
      const run = await of('imports', 'run', csv, '--yes');
      expect(run.status).toBe(3);
      expect(run.noted.at(-1)).toBe('… and more; --report FILE takes all of them.');
      expect(
        run.noted.filter((line) => line.includes('EMAIL_INVALID,')).length +
          run.noted.filter((line) => line.includes('"EMAIL_INVALID"')).length,
      ).toBe(20);
    });

    it('checks a file and changes nothing', async () => {
      const of = within(await organization('Checks'));
      const csv = file('check.csv', 'email,country\nfr@people.internal,Frankreich\nno@people.internal,Atlantis\n');
      const run = await of('imports', 'run', csv, '--check');
      expect(run).toMatchObject({
        status: 3,
        said: [expect.stringMatching(/^2 rows: 1 new.*refused: 1 COUNTRY_UNKNOWN\.$/)],
      });
      expect(await data(of, 'count_subscribers')).toEqual({ total: 0 });
      expect((await of('imports', 'list')).last).toContain('CANCELED');
    });

    it('goes on with an upload where it broke off', async () => {
      const of = within(await organization('Resumed'));
      const csv = file('resumed.csv', 'email\nada@people.internal\nbob@people.internal\n');
      const { import: begun } = await data(of, 'create_subscriber_import', { name: 'resumed' });
      const { id } = begun as { id: string };
      const org = (await data(of, 'get_me')).organization as { id: string };
      const pass = new OperatorPasses(deriveKey(system.config.MASTER_KEY, 'operator-passes')).issue(new Date());
      const headers = { authorization: `Bearer ${pass}`, 'tidings-organization': org.id, 'content-type': 'text/csv' };
      const part = readFileSync(csv).subarray(0, 12);
      expect(
        (await fetch(`${system.url}/api/v2/imports/${id}/file?offset=0`, { method: 'PUT', headers, body: part }))
          .status,
      ).toBe(200);
      const run = await of('imports', 'run', csv, '--resume', id, '--yes', '--json');
      expect(run.status).toBe(0);
      expect(json(run.last)).toMatchObject({ import: { id, state: 'DONE', imported: 2 } });
      expect((await of('imports', 'info', id)).said[0]).toBe('DONE');
      expect((await of('imports', 'cancel', id)).status).toBe(1);
    });

    it('resubscribes subscribers only with the flag', async () => {
      const of = within(await organization('Again'));
      const csv = file('one.csv', 'email\neve@people.internal\n');
      await of('import', csv, '--yes');
      await data(of, 'unsubscribe', { email: 'eve@people.internal' });
      const status = async () =>
        (await data(of, 'get_subscriber', { email: 'eve@people.internal' })).subscriber as { status: string };
      await of('import', csv, '--yes');
      expect((await status()).status).toBe('UNSUBSCRIBED');
      await of('import', csv, '--resubscribe', '--yes');
      expect((await status()).status).toBe('SUBSCRIBED');
    });

    it('refuses a file that is not there, a file without addresses, and an unwritable report', async () => {
      const of = within(await organization('Files'));
      expect(await of('import', join(folder, 'none.csv'))).toMatchObject({
        status: 1,
        noted: [expect.stringMatching(/none.csv cannot be read: ENOENT/)],
      });
      expect(await of('import', file('names.csv', 'name\nAnn\n'))).toMatchObject({
        status: 1,
        noted: [expect.stringMatching(/email/)],
      });
      const bad = file('x.csv', 'email\nbad\n');
      expect(await of('import', bad, '--yes', '--report', join(folder, 'no', 'r.csv'))).toMatchObject({
        status: 1,
        noted: [expect.any(String), expect.stringMatching(/report cannot be written/)],
      });
    });
  });

  describe('any tool', () => {
    it('is called with JSON or a file, and answers as the tool does', async () => {
      const of = within(await organization('Calls'));
      expect(json((await of('call', 'create_tag', '{"name":"vip"}')).last)).toMatchObject({ tag: { name: 'vip' } });
      const input = file('input.json', '{"name":"file"}');
      expect(json((await of('call', 'create_tag', `@${input}`)).last)).toMatchObject({ tag: { name: 'file' } });
      expect((await of('call', 'delete_tag', '{"name":"vip"}')).status).toBe(4);
      expect((await of('call', 'delete_tag', '{"name":"vip"}', '--yes')).status).toBe(0);
      expect(json((await of('call', 'get_me')).last)).toMatchObject({ actor: { kind: 'OPERATOR' } });
    });

    it('answers errors as JSON with --json, and misuse before any call', async () => {
      const of = within(await organization('Errors'));
      const refused = await of('call', 'get_campaign', '{"campaignId":"cmp_none"}', '--json');
      expect(refused).toMatchObject({ status: 1, said: [] });
      expect(json(refused.noted[0])).toMatchObject({ code: 'NOT_FOUND', reason: 'CAMPAIGN_NOT_FOUND' });
      expect(json((await of('call', 'create_tag', '{}', '--json')).noted[0])).toMatchObject({
        issues: [{ path: ['name'] }],
      });
      expect(await type('call', 'list_tagz')).toMatchObject({
        status: 2,
        noted: [expect.stringContaining('Did you mean list_tags?'), expect.any(String)],
      });
      for (const wrong of ['{', '[]', '@/none/x.json'])
        expect((await type('call', 'list_tags', wrong)).status).toBeGreaterThan(0);
    });

    it('needs an organization where there are several, by id or number', async () => {
      await organization('One more');
      expect(await type('campaigns', 'list')).toMatchObject({
        status: 1,
        noted: [expect.stringMatching(/say which with --org/)],
      });
      expect((await type('campaigns', 'list', '--org', '1')).status).toBe(0);
      expect(await type('campaigns', 'list', '--org', '9999')).toMatchObject({ status: 1 });
    });

    it('is refused with another master key, and says what the gateway takes', async () => {
      const wrong = cliFixture({ ...system.config, MASTER_KEY: '6b'.repeat(32) });
      expect(await wrong('campaigns', 'list')).toMatchObject({
        status: 1,
        noted: [expect.stringMatching(/^The gateway refused the pass of the operator/)],
      });
    });

    it('is called from elsewhere by address and token, within the rights of the token', async () => {
      const org = await organization('Elsewhere');
      const token = (await type('token', 'create', '--org', org, '--scopes', 'read')).last;
      const remote = cliFixture({ TIDINGS_URL: `${system.url}/`, TIDINGS_TOKEN: token });
      expect(json((await remote('call', 'get_me')).last)).toMatchObject({
        actor: { kind: 'TOKEN' },
        organization: { id: org },
      });
      expect(await remote('call', 'create_tag', '{"name":"x"}')).toMatchObject({
        status: 1,
        noted: [expect.stringContaining('scope')],
      });
      expect((await remote('campaigns', 'list', '--org', org)).status).toBe(1);
      const wrong = cliFixture({ TIDINGS_URL: system.url, TIDINGS_TOKEN: 'tdg_wrong' });
      expect((await wrong('campaigns', 'list')).status).toBe(1);
    });
  });

  describe('people, approvals and dead letters', () => {
    it('invites a member, lists the invitation, and refuses an unknown role or member', async () => {
      const of = within(await organization('Members'));
      expect((await of('members', 'invite', 'eve@people.internal', 'editor')).said[0]).toMatch(
        /^eve@people.internal is invited as editor until/,
      );
      expect((await of('members', 'list')).last).toMatch(/^inv_\w+ +eve@people.internal +\(invited\) +editor/);
      expect((await of('members', 'invite', 'eve@people.internal', 'boss')).status).toBe(2);
      for (const words of [['role', 'viewer'], ['remove'], ['reset']])
        expect((await of('members', words[0]!, 'none@people.internal', ...words.slice(1))).status).toBe(1);
    });

    it('marks a user as an operator, changes their role, and removes them', async () => {
      const org = await organization('Owners');
      const of = within(org);
      const [{ id: organizationId }] = (await database.query<{ id: string }[]>(
        `select organization_id as id from domain.organization where name = 'Owners'`,
      )) as [{ id: string }];
      const user = newUuid();
      await database.query(
        `insert into domain.user_account (user_id, email, email_key, name, password_hash, operator, updated_at) values ($1, 'zoe@people.internal', 'zoe@people.internal', 'Zoe', 'x', false, now())`,
        [user],
      );
      await database.query(
        `insert into domain.membership (organization_id, user_id, role, created_at) values ($1, $2, 'viewer', now())`,
        [organizationId, user],
      );
      expect((await type('members', 'operator', 'zoe@people.internal')).last).toBe(
        'zoe@people.internal is an operator.',
      );
      expect((await type('members', 'operator', 'zoe@people.internal', '--off')).last).toBe(
        'zoe@people.internal is no operator.',
      );
      expect((await type('members', 'operator', 'none@people.internal')).status).toBe(1);
      expect((await type('members', 'reset-factors', '--email', 'zoe@people.internal')).last).toBe(
        'zoe@people.internal: removed 0 second factors, ended 0 sessions.',
      );
      expect((await type('members', 'reset-factors', '--email', 'none@people.internal')).status).toBe(1);
      expect((await type('members', 'reset-factors')).status).toBe(2);
      expect((await of('members', 'role', 'ZOE@people.internal', 'editor')).last).toBe(
        'zoe@people.internal is editor.',
      );
      expect((await of('members', 'remove', 'zoe@people.internal')).status).toBe(4);
      expect((await of('members', 'remove', 'zoe@people.internal', '--yes')).status).toBe(0);
      expect((await of('members', 'list')).said).toHaveLength(1);
    });

    it('shows what waits for an approval, approves what was seen, and rejects with a note', async () => {
      const org = await organization('Approvals');
      const of = within(org);
      const token = (await type('token', 'create', '--org', org, '--no-self-confirm')).last;
      const agent = cliFixture({ TIDINGS_URL: system.url, TIDINGS_TOKEN: token });
      for (const name of ['first', 'second']) await of('call', 'create_tag', JSON.stringify({ name }));
      const wait = async (name: string) => {
        const asked = await agent('call', 'delete_tag', JSON.stringify({ name }), '--json');
        expect(asked.status).toBe(4);
        return json(asked.noted.at(-1)).approvalId as string;
      };
      const id = await wait('first');
      expect((await of('approvals', 'list')).said.join('\n')).toMatch(
        new RegExp(`${id} +PENDING .*delete_tag[^]*\n1 waiting\\.$`),
      );
      const shown = (await of('approvals', 'show', id)).said;
      expect(shown.join('\n')).toMatch(/"first"[^]*Parameters: \{"name":"first"\}/);
      expect(await of('approvals', 'approve', id)).toMatchObject({ status: 4 });
      const hash = /Content: (\w{64})/.exec(shown.join('\n'))![1]!;
      expect(await of('approvals', 'approve', id, '--seen', 'f'.repeat(64))).toMatchObject({ status: 1 });
      expect((await of('approvals', 'approve', id, '--seen', hash)).last).toBe('EXECUTED.');
      expect((await of('approvals', 'approve', id, '--yes')).status).toBe(1);
      const rejected = await of('approvals', 'reject', await wait('second'), '--note', 'Keep it.');
      expect(rejected.last).toMatch(/^Rejected: the same call is refused until/);
      const repeated = await agent('call', 'delete_tag', '{"name":"second"}');
      expect(repeated.noted.join('\n')).toContain('Keep it.');
    });

    it('lists, shows, retries and discards events that could not be applied', async () => {
      const org = await organization('Letters');
      const of = within(org);
      const { subscriber } = await data(of, 'add_subscriber', { email: 'ada@people.internal' });
      const about = {
        messageId: newId('msg'),
        subscriberId: (subscriber as { id: string }).id,
        campaignId: newId('cmp'),
        campaignName: 'News',
        subject: 'Hello',
        email: 'ada@people.internal',
        at: '2026-01-02T03:04:05.000Z',
        simulated: false,
      };
      for (const event of [about, { ...about, at: 'no time' }]) {
        const stored = { id: newId('evt'), organizationId: org, name: 'message.sent', data: event };
        await database.query(
          `insert into subscriber.dead_letter (dead_letter_id, consumer, event, error, attempts) values ($1, 'subscriber', $2, 'Error: it was a bad day', 2)`,
          [newUuid(), stored],
        );
      }
      const list = await of('dead-letters', 'list');
      expect(list).toMatchObject({ status: 0, last: '2 put aside.' });
      expect(list.said[1]).toMatch(/^dlt_\w+ +subscriber +message\.sent +2× .*it was a bad day$/);
      const replay = await of('dead-letters', 'replay');
      expect(replay).toMatchObject({ status: 3, last: '1 retried, 1 failed again.' });
      const id = replay.noted[1]!.split(' ')[0]!;
      expect((await of('dead-letters', 'show', id)).said.join('\n')).toMatch(/State: OPEN[^]*"no time"/);
      expect((await of('dead-letters', 'retry', id)).last).toBe('0 retried, 1 failed again.');
      expect((await of('dead-letters', 'retry', newId('dlt'))).status).toBe(1);
      expect((await of('dead-letters', 'discard', id, '--reason', 'a test')).status).toBe(4);
      expect((await of('dead-letters', 'discard', id, '--reason', 'a test', '--yes')).last).toBe('1 discarded.');
      expect((await of('dead-letters', 'list', '--service', 'subscriber')).last).toBe('0 put aside.');
    });
  });

  describe('domains, senders and bans', () => {
    it('adds, shows and deletes a domain, a web domain and a sender', async () => {
      const of = within(await organization('Domains'));
      const domain = (await of('domains', 'add', 'shop.example.org')).last;
      expect(domain).toMatch(/^dom_/);
      expect((await of('domains', 'info', domain)).said.join('\n')).toMatch(
        /^shop.example.org is PENDING\.\nTYPE +NAME/,
      );
      expect((await of('domains', 'list')).said.join('\n')).toMatch(/\(sandbox\) +VERIFIED/);
      expect((await of('domains', 'delete', domain, '--yes')).last).toBe('Deleted, with 0 senders.');
      const web = (await of('web-domain', 'add', 'links.example.org')).last;
      expect((await of('web-domains', 'list')).last).toMatch(new RegExp(`^${web} +links.example.org +PENDING`));
      expect((await of('web-domains', 'delete', web, '--yes')).last).toBe('links.example.org is deleted.');
      const sandbox = /(\S+) \(sandbox\)/.exec((await of('domains', 'list')).said.join('\n'))![1]!;
      const sender = (await of('senders', 'add', `ada@${sandbox}`, '--name', 'Ada')).last;
      expect((await of('sender', 'default', sender)).last).toBe(`Ada <ada@${sandbox}> is the default sender.`);
      expect((await of('senders', 'list')).said[1]).toMatch(/ Ada +ada@\S+ +- +yes$/);
      expect((await of('senders', 'delete', sender, '--yes')).status).toBe(0);
      expect((await of('senders', 'add', 'ada@other.example', '--name', 'Ada')).status).toBe(1);
    });

    it('bans an address, also one that is not there yet, and lifts the ban', async () => {
      const of = within(await organization('Bans'));
      await data(of, 'add_subscriber', { email: 'ada@example.com' });
      expect((await of('subscriber', 'ban', 'ADA@example.com')).said[0]).toMatch(/^ada@example.com is BANNED\.$/i);
      expect((await of('subscribers', 'unban', 'ada@example.com')).said[0]).toMatch(/is SUBSCRIBED\.$/);
      expect((await of('subscribers', 'ban', 'eve@example.com')).said[0]).toBe(
        'eve@example.com is no subscriber; it is BANNED when it comes.',
      );
      expect((await of('subscribers', 'ban', 'nonsense')).status).toBe(1);
    });
  });

  it('holds all mail, sees that it is held, and releases it', async () => {
    const of = within(await organization('Held'));
    expect((await type('mail', 'hold', '--reason', 'a wrong template')).last).toMatch(
      /^Mail is held since 20\S+Z by \S+: a wrong template\./,
    );
    const before = sink.accepted;
    const id = await draft(of);
    await of('campaigns', 'send', id, '--yes');
    await until('the campaign waits', async () => {
      const { last } = await type('mail', 'status', '--json');
      const { cells } = JSON.parse(last) as { cells: { waiting: { sends: number } }[] };
      return cells[0]!.waiting.sends === 1;
    });
    expect(sink.accepted).toBe(before);
    expect((await type('mail', 'release')).last).toMatch(/^Mail is not held\./);
    await until('mail goes out', () => sink.accepted > before, 60_000);
    expect((await of('campaign', 'stop', id, '--yes')).status).toBe(0);
  });
});
