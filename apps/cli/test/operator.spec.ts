import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, subscriberQueryTools, subscriberTools, tagTools } from '#contracts';
import { newId } from '#database';
import { hashApiToken } from '#tool-call';
import { mcpClients } from '../src/mcp-config.command.js';
import { startServices, cliFixture } from './cli-fixture.js';

describe('the command without a running system', () => {
  const type = cliFixture(null);

  it('shows help and answers a mistyped command', async () => {
    expect((await type('--help')).said[0]).toContain('Usage: npm run tidings');
    expect((await type('org', 'list', '--help')).status).toBe(0);
    const mistyped = await type('orgs', 'lits');
    expect(mistyped).toMatchObject({ status: 2, noted: [expect.stringContaining('"orgs lits"'), expect.any(String)] });
  });

  it('ends quietly when the reader of its output has read enough', async () => {
    const main = join(process.env.TIDINGS_BUILD_DIR!, 'apps/cli/src/main.js');
    const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let noted = '';
    child.stderr.on('data', (chunk: Buffer) => (noted += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    expect({ status, noted }).toEqual({ status: 0, noted: '' });
  });

  it.each(mcpClients)('prints what %s needs to reach the MCP endpoint', async (client) => {
    const { status, said } = await type('mcp-config', client, '--url', 'https://mail.example.com/', '--token', 'tdg_x');
    expect(status).toBe(0);
    const text = said.join('\n');
    expect(text).toContain('https://mail.example.com/api/mcp');
    expect(text).toContain('Bearer tdg_x');
    if (text.startsWith('{')) expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('names the known clients for an unknown one', async () => {
    expect(await type('mcp-config', 'toaster')).toMatchObject({
      status: 2,
      noted: [expect.stringContaining('the clients are claude-code'), expect.any(String)],
    });
  });
});

describe('the operator’s command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'operator spec '));
  let services: Awaited<ReturnType<typeof startServices>>;
  let type: ReturnType<typeof cliFixture>;
  let bus: Bus;

  beforeAll(async () => {
    services = await startServices(['domain', 'subscriber'], { CELLS: 'other' });
    const { NATS_URL: url, NATS_NAMESPACE: namespace } = services.config;
    type = cliFixture(services.config);
    bus = await connectBus({ url, namespace, name: 'spec' });
  });
  afterAll(async () => {
    await bus.close();
    await services.stop();
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, text: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const organization = async (name: string) => (await type('org', 'create', name)).last;
  let filesOrganization: Promise<string> | undefined;
  const files = () => (filesOrganization ??= organization('Files'));
  const subscriber = async (organizationId: string, email: string) =>
    (await bus.client(subscriberTools).get_subscriber({ email }, serviceCaller(organizationId, 'spec'))).subscriber;

  it('works in the only organization when none is named, and asks which when there are several', async () => {
    expect(await type('token', 'create', '--name', 'first')).toMatchObject({ status: 0 });
    await organization('Second');
    const refused = await type('token', 'create');
    expect(refused.status).toBe(1);
    expect(refused.noted).toEqual([expect.stringMatching(/^There are 2 organizations: say which with --org/)]);
  });

  it('creates, lists and changes organizations', async () => {
    const id = await organization('Café Ünder');
    expect(id).toMatch(/^org_/);
    const set = await type('org', 'set', id, '--rate', '50000', '--double-opt-in', 'on', '--plan', 'free');
    expect(set.last).toMatch(/FREE +50000\/min +Europe\/Paris +on +USD +opens clicks +- +home +-$/);
    await type('org', 'set', id, '--rate', 'default', '--address', '1 Rue X', '--timezone', 'UTC', '--currency', 'eur');
    const list = await type('org', 'list');
    expect(list.said[0]).toMatch(/^ID +NAME +PLAN/);
    expect(list.said.find((line) => line.includes(id))).toMatch(
      /Café Ünder +FREE +100\/min +UTC +on +EUR +opens clicks +- +home +1 Rue X$/,
    );
    expect((await type('org', 'set', id, '--currency', 'euro')).noted).toEqual([
      'currency: must have three letters, such as EUR.',
    ]);
    expect((await type('org', 'set', 'org_x', '--name', 'X')).noted).toEqual(['There is no organization "org_x".']);
    const bounds = await type('org', 'set', id, '--contacts', '2', '--mails', '500', '--track-opens', 'off');
    expect(bounds.last).toMatch(/EUR +clicks +2 contacts, 500 mails +home +1 Rue X$/);
    expect((await type('org', 'set', id, '--mails', 'none')).noted[0]).toBe(
      '--mails takes a number or default, not "none".',
    );
    const three = file('three.csv', 'email\na@x.internal\nb@x.internal\nc@x.internal\n');
    const refused = await type('import', three, '--org', id);
    expect([refused.status, refused.noted.at(-1)]).toEqual([
      1,
      expect.stringContaining('The FREE plan allows 2 contacts. 0 exist'),
    ]);
    expect((await type('plan', 'set', 'free', '--domains', '3')).last).toMatch(/^FREE +100\/min +3 domains$/);
    expect((await type('plan', 'list')).said).toHaveLength(4);
  });

  it('places an organization in a cell when it is made, and never moves it', async () => {
    const made = await type('org', 'create', 'Placed', '--cell', 'other');
    const { organization: placed } = await bus
      .client(domainRequests)
      .get_organization({}, serviceCaller(made.last, 'spec'));
    expect(placed.cell).toBe('other');
    expect((await type('org', 'list')).said.find((line) => line.includes(made.last))).toMatch(/ other +-$/);
    const wrong = await type('org', 'create', 'Lost', '--cell', 'othr');
    expect([wrong.status, wrong.noted[0]]).toEqual([
      1,
      'There is no cell "othr". Besides the home cell, there are other.',
    ]);
    const moved = await type('org', 'set', made.last, '--cell', 'home');
    expect([moved.status, moved.noted[0]]).toEqual([1, expect.stringContaining('stays in the cell')]);
  });

  it('creates a token as its last line, lists it without its secret, and revokes it', async () => {
    const id = await organization('Tokens');
    const made = await type(
      'token',
      'create',
      '--org',
      id,
      '--name',
      'CI',
      '--scopes',
      'read',
      '--expires',
      '90d',
      '--no-self-confirm',
    );
    const ask = async () =>
      (
        await bus
          .client(domainRequests)
          .authenticate_token({ tokenHash: hashApiToken(made.last) }, serviceCaller('', 'spec'))
      ).token;
    const facts = await ask();
    expect(facts).toMatchObject({ organizationId: id, scopes: ['read'], selfConfirm: false });
    expect(Math.round((Date.parse(facts!.expiresAt!) - Date.now()) / 86_400_000)).toBe(90);
    const list = await type('token', 'list', '--org', id);
    expect(list.last).toContain(`…${made.last.slice(-4)}`);
    expect(list.said.join('\n')).not.toContain(made.last);
    expect((await type('token', 'revoke', facts!.tokenId)).status).toBe(0);
    expect(await ask()).toBeNull();
    expect((await type('token', 'list', '--org', id)).last).toMatch(/revoked 20/);
  });

  it('imports a file with a tag, and reports every refused row with its line', async () => {
    const id = await organization('Import');
    const csv = file(
      'my contacts.csv',
      [
        'email,First name,last name,city,tags',
        'ada@people.internal,Ada,Lovelace,London,"vip,math"',
        'no-address,Nobody,,,',
        'broken@people.internal,"Lost',
        'zoe@people.internal,Zoë,,"Paris\nNord",',
        'toomany@people.internal,a,b,c,d,e,f',
        'ADA@people.internal,Ada,King,,vip',
      ].join('\n'),
    );
    const report = join(folder, 'refused.csv');
    const run = await type('import', csv, '--org', id, '--tag', 'spring', '--tag', 'fair', '--report', report);
    expect(run.status).toBe(3);
    expect(run.last).toBe('100 %, 6 rows: 2 new, 1 updated, 3 refused');
    const lines = readFileSync(report, 'utf8').trim().split('\n');
    expect(lines[0]).toBe('"line","email","reason"');
    expect(lines.slice(1).sort()).toEqual([
      expect.stringMatching(/^"3","no-address",".+"$/),
      '"4","","A quote is opened and never closed."',
      expect.stringMatching(/^"7","toomany@people.internal","The row has 7 cells/),
    ]);
    const ada = await subscriber(id, 'ada@people.internal');
    expect(ada).toMatchObject({ name: 'Ada King', status: 'SUBSCRIBED' });
    expect(ada.tags.map(({ name }) => name).sort()).toEqual(['fair', 'math', 'spring', 'vip']);
    expect(await subscriber(id, 'zoe@people.internal')).toMatchObject({ customFields: { city: 'Paris\nNord' } });
  });

  it('imports countries by code and name, and reports a row whose country is unknown', async () => {
    const id = await organization('Countries');
    const rows = ['fr@people.internal,Frankreich', 'gb@people.internal,UK', 'no@people.internal,Atlantis'];
    const csv = file('countries.csv', ['email,country', ...rows].join('\n'));
    const report = join(folder, 'countries-refused.csv');
    const run = await type('import', csv, '--org', id, '--report', report);
    expect(run.last).toBe('100 %, 3 rows: 2 new, 0 updated, 1 refused');
    expect(readFileSync(report, 'utf8')).toMatch(/"4","no@people.internal","""Atlantis"" is not the code or name/);
    const { count_subscribers } = bus.client(subscriberQueryTools);
    for (const value of ['FR', 'GB']) {
      const filters = [{ type: 'STRING', field: 'country', operator: 'EQUALS', value }];
      expect(await count_subscribers({ filters }, serviceCaller(id, 'spec'))).toEqual({ total: 1 });
    }
  });

  it('imports many rows in several calls, the last of repeated ones winning, and again without a change', async () => {
    const id = await organization('Many');
    const rows = Array.from({ length: 2_300 }, (_, n) => `p${n % 2_000}@people.internal,Turn ${Math.floor(n / 2_000)}`);
    const csv = file('many.csv', `email,name\r\n${rows.join('\r\n')}\r\n`);
    const run = await type('import', csv, '--org', id, '--tag', 'all');
    expect(run).toMatchObject({ status: 0, last: '100 %, 2,300 rows: 2,000 new, 300 updated, 0 refused' });
    expect((await subscriber(id, 'p0@people.internal')).name).toBe('Turn 1');
    expect((await subscriber(id, 'p300@people.internal')).name).toBe('Turn 0');
    expect((await type('import', csv, '--org', id)).last).toBe('100 %, 2,300 rows: 0 new, 2,300 updated, 0 refused');
    const { tags } = await bus.client(tagTools).list_tags({}, serviceCaller(id, 'spec'));
    expect(tags).toMatchObject([{ name: 'all', subscribersCount: 2_000 }]);
  });

  it('shows the first refused rows when no report is asked for', async () => {
    const id = await organization('Refused');
    const csv = file('bad.csv', `email\n${Array.from({ length: 30 }, (_, n) => `bad${n}`).join('\n')}`);
    const run = await type('import', csv, '--org', id);
    expect(run.status).toBe(3);
    expect(run.noted).toHaveLength(21);
    expect(run.noted[0]).toMatch(/^Line 2 \(bad0\): /);
    expect(run.noted[20]).toBe('… and more; --report FILE takes all of them.');
  });

  it('resubscribes subscribers only with the flag', async () => {
    const id = await organization('Again');
    const csv = file('one.csv', 'email\neve@people.internal\n');
    await type('import', csv, '--org', id);
    await bus.client(subscriberTools).unsubscribe({ email: 'eve@people.internal' }, serviceCaller(id, 'spec'));
    await type('import', csv, '--org', id);
    expect((await subscriber(id, 'eve@people.internal')).status).toBe('UNSUBSCRIBED');
    await type('import', csv, '--org', id, '--resubscribe');
    expect((await subscriber(id, 'eve@people.internal')).status).toBe('SUBSCRIBED');
  });

  it.each([
    ['an empty file', '', /The file is empty/],
    ['a file without addresses', 'name\nAnn\n', /No column is called email/],
    ['a file without headings', 'ann@x.io,Ann\n', /first line must name the columns/],
  ])('refuses %s', async (_what, text, message) => {
    const run = await type('import', file('refused-file.csv', text), '--org', await files());
    expect(run).toMatchObject({ status: 1, noted: [expect.stringMatching(message)] });
  });

  it('refuses a file that is not there, and a report that cannot be written', async () => {
    const missing = await type('import', join(folder, 'none.csv'), '--org', await files());
    expect(missing).toMatchObject({ status: 1, noted: [expect.stringMatching(/none.csv cannot be read: ENOENT/)] });
    const unwritable = await type(
      'import',
      file('x.csv', 'email'),
      '--org',
      await files(),
      '--report',
      join(folder, 'no', 'r.csv'),
    );
    expect(unwritable).toMatchObject({ status: 1, noted: [expect.stringMatching(/report cannot be written/)] });
  });

  it('passes on what a service refuses, without a stack', async () => {
    for (const args of [
      ['org', 'set', 'org_x', '--plan', 'FREE'],
      ['org', 'set', 'org_x', '--plan', 'GOLD'],
      ['token', 'revoke', 'tok_x'],
      ['token', 'create', '--org', 'org_x', '--scopes', 'admin'],
      ['token', 'list', '--org', 'org_x'],
      ['sends', 'list', '--org', 'org_x'],
      ['dead-letters', 'list', '--service', 'workflow'],
      ['import', file('x.csv', 'email\na@people.internal'), '--org', newId('org')],
    ]) {
      const { status, noted } = await type(...args);
      expect({ args, status, lines: noted.length }).toEqual({ args, status: 1, lines: 1 });
    }
  });
});

describe('command-line input', () => {
  const type = cliFixture(null);

  it('is explained for every command, without a running system', async () => {
    const all = await type('--help');
    expect(all.status).toBe(0);
    const overview = all.said.join('\n');
    for (const words of [
      'org create',
      'org list',
      'org set',
      'org limit-fields',
      'token create',
      'token list',
      'token revoke',
      'import',
      'sends list',
      'sends show',
      'campaign pause',
      'campaign resume',
      'campaign stop',
      'dead-letters list',
      'dead-letters replay',
    ]) {
      expect(overview).toContain(`  ${words}`);
      const one = await type(...words.split(' '), '--help');
      expect(one).toMatchObject({
        status: 0,
        said: expect.arrayContaining([expect.stringContaining(`Usage: npm run tidings -- ${words}`)]),
      });
    }
    expect((await type('token', '--help')).said.join()).not.toContain('org create');
    expect(await type()).toMatchObject({ status: 2 });
  });

  it.each([
    [['frob'], /There is no command "frob"/],
    [['org'], /There is no command "org"/],
    [['org', 'create'], /NAME is missing/],
    [['org', 'create', 'a', 'b'], /"b" is one word too many/],
    [['org', 'list', '--frob'], /Unknown option '--frob'/],
    [['org', 'set', 'org_1'], /Nothing to change/],
    [['org', 'set', 'org_1', '--rate', 'fast'], /--rate takes calls a minute or default/],
    [['org', 'set', 'org_1', '--double-opt-in', 'yes'], /takes on or off/],
    [['token', 'create', '--expires', 'soon'], /takes a span such as 90d/],
    [['token', 'create', '--name'], /argument missing/],
    [['sends', 'show'], /ID is missing/],
    [['dead-letters', 'list', '--service', 'gateway'], /--service takes one of domain, .*, not "gateway"/],
    [['import'], /FILE.csv is missing/],
    [['import', 'x.csv', '--tag', 'a,b'], /--tag "a,b": must not contain a comma or a brace/],
  ])('%j is refused with how it should be', async (args, message) => {
    const refused = await type(...args);
    expect(refused).toMatchObject({
      status: 2,
      said: [],
      noted: [expect.stringMatching(message), expect.stringMatching(/Usage: |See: /)],
    });
  });

  it('says so when no running system is known, or it does not answer', async () => {
    expect(await type('org', 'list')).toMatchObject({ status: 5, noted: [expect.stringMatching(/npm start/)] });
    const nowhere = cliFixture({ NATS_URL: 'nats://secret@127.0.0.1:1', NATS_NAMESPACE: 'x' });
    expect(await nowhere('org', 'list')).toMatchObject({
      status: 5,
      noted: [expect.stringMatching(/^NATS at nats:\/\/127.0.0.1:1 does not answer/)],
    });
  });
});
