import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { ToolsClient } from '../e2e/client.js';
import { freePort } from './containers.js';
import { caughtMails } from './mailbox.js';

const root = resolve(import.meta.dirname, '../..');
const processes = ['catcher', 'domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'];
const run = promisify(execFile);

interface ComposedContainer {
  Service: string;
  Health: string;
  ExitCode: number;
  Publishers: { URL: string; PublishedPort: number }[] | null;
}

describe('docker compose', () => {
  const project = `tidings-test-${randomBytes(4).toString('hex')}`;
  let folder: string;
  let port: number;
  let smtpPort: number;
  let client: ToolsClient;

  const compose = (...args: string[]) =>
    run('docker', ['compose', '--project-name', project, '--env-file', join(folder, '.env'), ...args], { cwd: root });
  const containers = async (): Promise<ComposedContainer[]> =>
    (await compose('ps', '--all', '--format', 'json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ComposedContainer);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compose-'));
    port = await freePort();
    smtpPort = await freePort();
    // The line that makes .env, as the page for newcomers gives it.
    const page = await readFile(join(root, 'docs/guides/one-machine.md'), 'utf8');
    await run('sh', ['-c', /^\(umask 077.*\)$/m.exec(page)![0]], { cwd: folder });
    const secrets = await readFile(join(folder, '.env'), 'utf8');
    await writeFile(join(folder, '.env'), `${secrets}PORT=${port}\nSMTP_DOOR=127.0.0.1:${smtpPort}\n`);
    client = new ToolsClient(`http://localhost:${port}`, /^BOOTSTRAP_TOKEN=(.+)$/m.exec(secrets)![1]!);
    await compose('up', '--detach', '--wait', '--wait-timeout', '240');
  }, 300_000);

  afterAll(async () => {
    await compose('down', '--volumes', '--timeout', '10');
    await rm(folder, { recursive: true });
  }, 120_000);

  it('says where to read on when the secrets were not made', async () => {
    const bare = run('docker', ['compose', '--env-file', '/dev/null', 'config'], { cwd: root });
    await expect(bare).rejects.toThrow(/missing a value: see docs\/guides\/one-machine\.md/);
  });

  it('brings everything up healthy, with two ports open, to this machine only', async () => {
    const all = await containers();
    expect(all.map(({ Service, Health }) => `${Service} ${Health}`).sort()).toEqual(
      [...processes, 'nats', 'postgres'].map((name) => `${name} healthy`).sort(),
    );
    const open = all.flatMap(({ Publishers }) => Publishers ?? []).filter(({ PublishedPort }) => PublishedPort > 0);
    const addresses = open.map(({ URL: address, PublishedPort }) => `${address}:${PublishedPort}`);
    expect(addresses.sort()).toEqual([port, smtpPort].map((one) => `127.0.0.1:${one}`).sort());
  });

  it.each(processes)('runs %s without privileges, on a root file system that cannot be written', async (name) => {
    const { stdout } = await compose(
      ...['exec', '--no-TTY', name, 'sh', '-c'],
      'id -u; grep CapBnd: /proc/self/status; touch /app/x 2>&1 || true',
    );
    expect(stdout).toMatch(/^1000\nCapBnd:\s0000000000000000\n.*Read-only file system\n$/);
  });

  it('answers the operator', async () => {
    const { stdout } = await compose(
      'exec',
      '-T',
      'gateway',
      'node',
      'apps/cli/src/main.js',
      'tokens',
      'create',
      '--name',
      'second',
    );
    const second = new ToolsClient(`http://localhost:${port}`, stdout.trim().split('\n').at(-1)!.trim());
    expect(await second.data('list_tags', {})).toEqual({ tags: [], total: 0 });
  });

  it('sends a first campaign', async () => {
    await client.data('import_subscribers', {
      subscribers: [
        { email: 'ada@post.internal', name: 'Ada Lovelace', tags: ['customer'] },
        { email: 'lin@post.internal', name: 'Lin Chen' },
      ],
    });
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', {
      name: 'Spring',
      subject: 'Hello {{firstName | "there"}}',
      contentType: 'MARKDOWN',
      content: '# Spring is here\n\n[Unsubscribe]({{unsubscribeUrl}})',
    });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }];
    await client.data('update_campaign_filters', { campaignId, filters });
    await client.data('schedule_campaign', { campaignId });
    await until(
      'the campaign is sent',
      async () => (await client.data<{ status: string }>('get_campaign_progress', { campaignId })).status === 'SENT',
      60_000,
    );
    const mails = await caughtMails(`http://localhost:${port}`);
    expect(mails).toMatchObject([{ subject: 'Hello Ada', envelope: { to: ['ada@post.internal'] } }]);
  });

  it('stops gracefully and finds everything again', async () => {
    await compose('stop');
    const ended = (await containers()).filter(({ Service }) => processes.includes(Service));
    expect(ended.map(({ Service, ExitCode }) => `${Service} ${ExitCode}`).sort()).toEqual(
      processes.map((name) => `${name} 0`).sort(),
    );
    await compose('up', '--detach', '--wait', '--wait-timeout', '240');
    expect(await client.data('list_subscribers', {})).toMatchObject({ total: 2 });
    expect(await caughtMails(`http://localhost:${port}`)).toHaveLength(1);
  }, 300_000);
});
