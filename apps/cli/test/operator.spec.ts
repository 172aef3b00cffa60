import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests } from '#contracts';
import { until } from '#testing';
import { hashApiToken } from '#tool-call';
import { commands } from '../src/operator.js';
import { mcpClients } from '../src/mcp-config.command.js';
import { startSystem } from '../../../test/harness/started-services.js';
import { cliFixture } from './cli-fixture.js';

describe('the command without a running system', () => {
  const type = cliFixture({});

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
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  let services: Awaited<ReturnType<typeof startSystem>>;
  let type: ReturnType<typeof cliFixture>;
  let bus: Bus;

  beforeAll(async () => {
    services = await startSystem({ CELLS: 'other' });
    const { NATS_URL: url, NATS_NAMESPACE: namespace } = services.config;
    type = cliFixture(services.config);
    bus = await connectBus({ url, namespace, name: 'spec' });
  });
  afterAll(async () => {
    await bus.close();
    await services.stop();
    rmSync(folder, { recursive: true });
  });

  const organization = async (name: string) => (await type('org', 'create', name)).last;

  it('works in the only organization when none is named, and asks which when there are several', async () => {
    expect(await type('token', 'create', '--name', 'first')).toMatchObject({ status: 0 });
    await organization('Second');
    const refused = await type('token', 'create');
    expect(refused.status).toBe(1);
    expect(refused.noted).toEqual([expect.stringMatching(/^There are several organizations: say which with --org/)]);
  });

  it('creates, lists and changes organizations', async () => {
    const id = await organization('Café Ünder');
    expect(id).toMatch(/^org_/);
    const row = async () => (await type('org', 'list')).said.find((line) => line.includes(id));
    const set = await type('org', 'set', id, '--rate', '50000', '--double-opt-in', 'on', '--plan', 'free');
    expect(set.said.join('\n')).toMatch(/Plan +FREE\n[^]*Double opt-in +on\n/);
    expect(await row()).toMatch(/Café Ünder +FREE +50000\/min +Europe\/Paris +USD +- +home$/);
    await type('org', 'set', id, '--rate', 'default', '--address', '1 Rue X', '--timezone', 'UTC', '--currency', 'eur');
    expect((await type('org', 'list')).said[0]).toMatch(/^ID +NUMBER +NAME +PLAN/);
    expect(await row()).toMatch(/Café Ünder +FREE +100\/min +UTC +EUR +- +home$/);
    const number = /^org_\w+ +(\d+)/.exec((await row())!)![1]!;
    const info = await type('org', 'info', '--org', number);
    expect(info.said.join('\n')).toMatch(/Address +1 Rue X\nCurrency +EUR\nDouble opt-in +on\nOpens counted +on\n/);
    expect((await type('org', 'set', id, '--currency', 'euro')).noted[0]).toMatch(
      /must have three letters, such as EUR/,
    );
    expect((await type('org', 'set', 'org_x', '--name', 'X')).noted).toEqual(['There is no organization "org_x".']);
    const bounds = await type('org', 'set', number, '--contacts', '2', '--mails', '500', '--track-opens', 'off');
    expect(bounds.said.join('\n')).toMatch(/Quotas +2 contacts, 500 mails\n[^]*Opens counted +off\nClicks counted +on/);
    expect(JSON.parse((await type('org', 'set', id, '--name', 'Café', '--json')).last)).toMatchObject({
      organization: { id, name: 'Café' },
      quotas: { contacts: 2 },
    });
    expect((await type('org', 'set', id, '--mails', 'none')).noted[0]).toBe(
      '--mails takes a number or default, not "none".',
    );
    expect((await type('plan', 'set', 'free', '--domains', '3')).last).toMatch(/^FREE +100\/min +3 domains$/);
    expect((await type('plan', 'list')).said).toHaveLength(4);
    const limit = (n: string) => type('org', 'limit-fields', id, n);
    expect((await limit('500')).said).toEqual(['The organization may have 500 custom fields; it has 0.']);
    expect((await limit('default')).said).toEqual(['The organization may have 300 custom fields; it has 0.']);
    expect((await limit('many')).status).toBe(2);
  });

  it('places an organization in a cell when it is made, and never moves it', async () => {
    const made = await type('org', 'create', 'Placed', '--cell', 'other');
    const { organization: placed } = await bus
      .client(domainRequests)
      .get_organization({}, serviceCaller(made.last, 'spec'));
    expect(placed.cell).toBe('other');
    expect((await type('org', 'list')).said.find((line) => line.includes(made.last))).toMatch(/ other$/);
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
    const of = (...args: string[]) => type(...args, '--org', id);
    const list = await of('token', 'list');
    expect(list.last).toContain(`…${made.last.slice(-4)}`);
    expect(list.said.join('\n')).not.toContain(made.last);
    const tokenId = facts!.tokenId;
    expect((await of('tokens', 'update', tokenId, '--name', 'Nightly', '--expires', '30d')).last).toContain('Nightly');
    expect((await of('tokens', 'update', tokenId, '--scopes', 'send')).status).toBe(1);
    const rotated = await of('tokens', 'rotate', tokenId, '--at-once');
    expect(await ask()).toBeNull();
    const secret = rotated.last;
    const { token } = await bus
      .client(domainRequests)
      .authenticate_token({ tokenHash: hashApiToken(secret) }, serviceCaller('', 'spec'));
    expect(token).toMatchObject({ tokenId });
    expect((await of('token', 'revoke', tokenId)).status).toBe(0);
    expect((await of('token', 'list')).said.join('\n')).not.toContain(tokenId);
    expect((await of('token', 'list', '--all')).last).toMatch(/revoked 20/);
  });

  it('makes a token that ends after 90 days, or never if asked', async () => {
    const id = await organization('Ends');
    const ends = async (...args: string[]) => (await type('tokens', 'create', '--org', id, ...args)).said[0]!;
    const at = Date.parse(/it ends (\S+)\.$/.exec(await ends())![1]!);
    expect(Math.round((at - Date.now()) / 86_400_000)).toBe(90);
    expect(await ends('--expires', 'never')).toMatch(/it never ends\.$/);
  });

  it('lists the audit log over pages, and writes it to a file as CSV or JSON', async () => {
    const id = await organization('Audited');
    const of = (...args: string[]) => type(...args, '--org', id);
    for (let n = 0; n < 3; n++) await of('tokens', 'create', '--name', `token ${n}`);
    const entries = async (...args: string[]) =>
      (JSON.parse((await of('audit', 'list', '--json', ...args)).last) as { entries: { tool: string }[] }).entries;
    await until('the entries are stored', async () => (await entries('--tool', 'create_api_token')).length === 3);
    expect(await entries('--tool', 'create_api_token', '--limit', '2')).toHaveLength(2);
    const table = await of('audit', 'list', '--since', '1h');
    expect(table.said[0]).toMatch(/^AT +ACTOR +BY +TOOL/);
    expect(table.last).toMatch(/ operator +tools +create_api_token +token 0 +OK /);
    for (const [name, start] of [
      ['log.csv', /^"?id"?,/],
      ['log.json', /^[[{]/],
    ] as const) {
      const file = join(folder, name);
      expect(await of('audit', 'export', file, '--tool', 'create_api_token')).toMatchObject({ status: 0 });
      const text = readFileSync(file, 'utf8');
      expect(text).toMatch(start);
      expect(text.match(/create_api_token/g)).toHaveLength(3);
    }
    expect((await of('audit', 'export', join(folder, 'none', 'x.csv'))).noted).toEqual([
      expect.stringMatching(/^The audit log cannot be written/),
    ]);
  });

  it('passes on what a service refuses, without a stack', async () => {
    for (const args of [
      ['org', 'set', 'org_x', '--plan', 'FREE'],
      ['org', 'set', 'org_x', '--plan', 'GOLD'],
      ['token', 'revoke', 'tok_x'],
      ['token', 'create', '--org', 'org_x', '--scopes', 'admin'],
      ['token', 'list', '--org', 'org_x'],
    ]) {
      const { status, noted } = await type(...args);
      expect({ args, status, lines: noted.length }).toEqual({ args, status: 1, lines: 1 });
    }
  });
});

describe('command-line input', () => {
  const type = cliFixture({});

  it('is explained for every command, without a running system', async () => {
    const all = await type('--help');
    expect(all.status).toBe(0);
    for (const { words, aliases = [] } of commands) {
      expect(all.said.join('\n')).toContain(`  ${words.join(' ')}`);
      for (const typed of [words, ...aliases]) {
        const { status, said } = await type(...typed, '--help');
        expect({ status, first: said[0] }).toEqual({
          status: 0,
          first: expect.stringContaining(`Usage: npm run tidings -- ${words.join(' ')}`),
        });
      }
    }
    expect((await type('tokens', '--help')).said.join()).not.toContain('org create');
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
    [['import'], /FILE is missing/],
    [['campaigns', 'create'], /--subject is missing/],
    [['campaigns', 'list', '--status', 'GONE'], /--status takes one of DRAFT, /],
    [['campaigns', 'list', '--limit', '101'], /--limit takes 1 to 100/],
    [['campaigns', 'send', 'cmp_1', '--at', 'soon'], /--at takes a time such as/],
    [['members', 'invite', 'a@x.internal', 'boss'], /ROLE is one of/],
    [['call', 'list_tagz'], /Did you mean list_tags/],
    [['call', 'list_tags', '['], /must be JSON or @FILE/],
    [['completion', 'fish'], /The shells are bash and zsh/],
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
    for (const command of [
      ['org', 'list'],
      ['plan', 'list'],
      ['campaigns', 'list'],
    ])
      expect(await type(...command)).toMatchObject({ status: 5, noted: [expect.stringMatching(/npm start/)] });
    const silent = cliFixture({ PORT: '1', MASTER_KEY: '5f'.repeat(32) });
    expect(await silent('campaigns', 'list')).toMatchObject({
      status: 5,
      noted: [expect.stringMatching(/^http:\/\/127.0.0.1:1 does not answer/)],
    });
    const nowhere = cliFixture({ NATS_URL: 'nats://secret@127.0.0.1:1', NATS_NAMESPACE: 'x' });
    expect(await nowhere('suppressions', 'review')).toMatchObject({
      status: 5,
      noted: [expect.stringMatching(/^NATS at nats:\/\/127.0.0.1:1 does not answer/)],
    });
  });
});
