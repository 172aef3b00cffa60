import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { until } from '#testing';
import { content } from '../campaign-send/organization.js';

/** The mail of `campaign-send` as HTML in the other side's template language: the same text, links and way to leave. */
const body = content
  .replaceAll(/\{\{firstName[^}]*\}\}/g, '{{ .Subscriber.FirstName }}')
  .replaceAll('{{email}}', '{{ .Subscriber.Email }}')
  .replaceAll('{{unsubscribeUrl}}', '{{ UnsubscribeURL }}')
  .replaceAll(/\[([^\]]+)\]\((https:[^)]+)\)/g, '<a href="$2@TrackLink">$1</a>')
  .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>')
  .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
  .split('\n\n')
  .map((text) => (text.startsWith('# ') ? `<h1>${text.slice(2)}</h1>` : `<p>${text}</p>`))
  .join('\n');
const template = '<!doctype html><html><body>{{ template "content" . }}{{ TrackView }}</body></html>';
const subject = '{{ .Subscriber.FirstName }}, spring is here';

const readyMs = 60_000;
const apiUser = 'bench';

export interface ListmonkSettings {
  sinkPort: number;
  /** Null: the settings that an installation has, but for the address of the relay. */
  connections: number | null;
}

/** A worker sleeps for a second after this number of messages; a queue of twice that for all workers is allocated. */
const rateOfWorker = 5_000;

/**
 * What makes it fast: as many workers as connections, which do not sleep before 200,000 messages, large batches, and
 * neither TLS nor a check for updates.
 */
const settingsOf = ({ sinkPort, connections }: ListmonkSettings): Record<string, unknown> => ({
  'app.check_updates': false,
  smtp: [
    {
      enabled: true,
      host: '127.0.0.1',
      port: sinkPort,
      auth_protocol: 'none',
      username: '',
      password: '',
      hello_hostname: '',
      max_conns: connections ?? 10,
      idle_timeout: '15s',
      wait_timeout: '5s',
      max_msg_retries: 2,
      msg_retry_delay: '10ms',
      tls_type: 'none',
      tls_skip_verify: false,
      email_headers: [],
      from_addresses: [],
    },
  ],
  'app.concurrency': connections ?? 10,
  'app.message_rate': connections === null ? 10 : rateOfWorker,
  'app.batch_size': connections === null ? 1_000 : 10_000,
});

/** A listmonk on a database of its own in the server that Tidings uses. */
export class Listmonk {
  #child: ChildProcess | null = null;
  #lines: string[] = [];

  private constructor(
    private readonly options: { binary: string; folder: string; url: string; token: string },
    private readonly server: pg.Client,
    readonly sql: pg.Client,
    private readonly databaseName: string,
  ) {}

  /** @param databaseUrl the owner's URL of the server */
  static async install(binary: string, databaseUrl: string): Promise<Listmonk> {
    const databaseName = `listmonk_${randomBytes(5).toString('hex')}`;
    const server = new pg.Client({ connectionString: databaseUrl });
    await server.connect();
    await server.query(`create database ${databaseName}`);
    const url = new URL(databaseUrl);
    url.pathname = `/${databaseName}`;
    const folder = mkdtempSync(join(tmpdir(), 'versus-listmonk-'));
    const port = await freePort();
    writeFileSync(join(folder, 'config.toml'), configOf(url, databaseName, port));
    const setup = spawnSync(binary, ['--config', join(folder, 'config.toml'), '--install', '--yes'], {
      cwd: dirname(binary),
      env: {
        ...process.env,
        LISTMONK_ADMIN_USER: 'admin',
        LISTMONK_ADMIN_PASSWORD: randomUUID(),
        LISTMONK_ADMIN_API_USER: apiUser,
      },
      encoding: 'utf8',
    });
    const [, token] = /LISTMONK_ADMIN_API_TOKEN="([^"]+)"/.exec(setup.stderr) ?? [];
    if (setup.status !== 0 || token === undefined) {
      throw new Error(`listmonk --install ended with ${setup.status}:\n${setup.stdout}\n${setup.stderr}`);
    }
    const sql = new pg.Client({ connectionString: url.href });
    await sql.connect();
    return new Listmonk({ binary, folder, url: `http://127.0.0.1:${port}`, token }, server, sql, databaseName);
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Replaces all subscribers by `count` people on one list; their addresses are those of `copySubscribers`. */
  async fill(count: number): Promise<void> {
    await this.sql.query('truncate subscribers, subscriber_lists restart identity cascade');
    await this.sql.query(
      `insert into subscribers (uuid, email, name, attribs, status)
       select gen_random_uuid(), 'person' || n || '@people.internal', 'Person ' || n, jsonb_build_object('number', n % 100), 'enabled'
       from generate_series(0, $1::int - 1) n`,
      [count],
    );
    await this.sql.query(
      `insert into subscriber_lists (subscriber_id, list_id, status) select id, 1, 'confirmed' from subscribers`,
    );
    await this.sql.query('vacuum analyze subscribers, subscriber_lists');
  }

  async start(settings: ListmonkSettings): Promise<void> {
    for (const [key, value] of Object.entries(settingsOf(settings))) {
      await this.sql.query(`update settings set value = $2::jsonb where key = $1`, [key, JSON.stringify(value)]);
    }
    await this.resume();
  }

  /** Starts it as it was. */
  async resume(): Promise<void> {
    const { binary, folder, url } = this.options;
    const child = spawn(binary, ['--config', join(folder, 'config.toml')], {
      cwd: dirname(binary),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#lines.push(chunk.toString());
        this.#lines.splice(0, this.#lines.length - 50);
      });
    }
    await until(
      'listmonk responds',
      async () => {
        if (child.exitCode !== null) throw new Error(`listmonk ended with ${child.exitCode}:\n${this.#lines.join('')}`);
        return await fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      readyMs,
    );
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Creates a campaign to everyone and starts it; the process finds it within five seconds. */
  async send(): Promise<number> {
    const { rows } = await this.sql.query<{ id: number }>(
      `with t as (insert into templates (name, type, subject, body) values ($1, 'campaign', '', $2) returning id),
       c as (
         insert into campaigns (uuid, name, subject, from_email, body, content_type, status, messenger, template_id)
         select gen_random_uuid(), $1, $3, 'Shop <news@shop.internal>', $4, 'html', 'running', 'email', id from t returning id)
       insert into campaign_lists (campaign_id, list_id, list_name) select id, 1, 'Default list' from c returning campaign_id as id`,
      [`bench ${randomUUID()}`, template, subject, body],
    );
    return rows[0]!.id;
  }

  async finished(campaignId: number, withinMs: number): Promise<void> {
    await until(
      'listmonk has finished the campaign',
      async () => (await this.status(campaignId)) === 'finished',
      withinMs,
    );
  }

  async status(campaignId: number): Promise<string> {
    const { rows } = await this.sql.query<{ status: string }>(`select status from campaigns where id = $1`, [
      campaignId,
    ]);
    return rows[0]!.status;
  }

  /** Imports a CSV of its form. @returns when every row is in the table */
  async import(file: string, rows: number, withinMs: number): Promise<void> {
    const form = new FormData();
    const how = { mode: 'subscribe', subscription_status: 'confirmed', overwrite: true, delim: ',', lists: [1] };
    form.set('params', JSON.stringify(how));
    form.set('file', await openAsBlob(file), 'people.csv');
    await this.#api('import/subscribers', { method: 'POST', body: form });
    await until(
      'listmonk has imported the file',
      async () => {
        const { data } = await this.#api<{ status: string; imported: number }>('import/subscribers');
        if (data.status === 'failed') throw new Error('listmonk says that the import failed.');
        if (data.status === 'finished' && data.imported !== rows)
          throw new Error(`listmonk imported ${data.imported} of ${rows} rows.`);
        return data.status === 'finished';
      },
      withinMs,
    );
  }

  /** Counts subscribers by a value in a custom field and returns a first page. */
  async query(): Promise<number> {
    const where = new URLSearchParams({ query: `subscribers.attribs->>'number' = '42'`, per_page: '50' });
    const { data } = await this.#api<{ total: number }>(`subscribers?${where.toString()}`);
    return data.total;
  }

  async databaseBytes(): Promise<number> {
    await this.sql.query('checkpoint');
    const { rows } = await this.sql.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    return Number(rows[0]!.bytes);
  }

  /** Ends it and drops its database. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    await this.sql.end();
    await this.server.query(`drop database ${this.databaseName} with (force)`);
    await this.server.end();
    rmSync(this.options.folder, { recursive: true });
  }

  async #api<D>(path: string, init: RequestInit = {}): Promise<{ data: D }> {
    const { url, token } = this.options;
    const response = await fetch(`${url}/api/${path}`, {
      ...init,
      headers: { authorization: `token ${apiUser}:${token}` },
    });
    if (!response.ok) throw new Error(`listmonk answers ${path} with ${response.status}: ${await response.text()}`);
    return (await response.json()) as { data: D };
  }
}

const configOf = (url: URL, database: string, port: number): string =>
  [
    '[app]',
    `address = "127.0.0.1:${port}"`,
    '[db]',
    `host = "${url.hostname}"`,
    `port = ${url.port || '5432'}`,
    `user = "${decodeURIComponent(url.username)}"`,
    `password = "${decodeURIComponent(url.password)}"`,
    `database = "${database}"`,
    'ssl_mode = "disable"',
    'max_open = 25',
    'max_idle = 25',
    'max_lifetime = "300s"',
    '',
  ].join('\n');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
