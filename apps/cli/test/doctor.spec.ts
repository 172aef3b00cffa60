import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { newUuid } from '#database';
import { SmtpSink, testRolePrefix } from '#testing';
import type { Finding } from '../src/doctor/finding.js';
import { startServices } from '../../../test/harness/started-services.js';
import { cliFixture } from './cli-fixture.js';

/** @returns a port that was free a moment ago */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

describe('the doctor', () => {
  let sink: SmtpSink;
  let services: Awaited<ReturnType<typeof startServices>>;
  let database: DataSource;
  let listenerPort: string;
  const kept = { ...process.env };

  beforeAll(async () => {
    sink = await SmtpSink.start();
    listenerPort = await freePort();
    services = await startServices(['domain', 'subscriber', 'campaign', 'workflow', 'delivery'], {
      SMTP_URL: sink.url,
      SMTP_LISTEN_PORT: listenerPort,
    });
    database = await new DataSource({ type: 'postgres', url: services.databaseUrl }).initialize();
  });
  afterEach(() => void (process.env = { ...kept }));
  afterAll(async () => {
    await database.destroy();
    await services.stop();
    await sink.stop();
  });

  async function examined(change: Record<string, string> = {}) {
    const { NATS_URL } = services.config;
    const known = {
      DATABASE_URL: services.databaseUrl,
      DATABASE_ROLE_PREFIX: testRolePrefix,
      SMTP_URL: sink.url,
      NATS_URL,
    };
    Object.assign(process.env, known, change);
    const { status, last } = await cliFixture(services.config)('doctor', '--json');
    const { findings } = JSON.parse(last) as { findings: Finding[] };
    for (const { state, remedy } of findings) expect(remedy === null).toBe(state === 'OK');
    return { status, of: (check: string) => findings.find((one) => one.check === check)! };
  }

  it('reports passing checks', async () => {
    const { of } = await examined();
    for (const check of [
      'Node.js',
      'clock',
      'migrations',
      'master key',
      'NATS',
      'NATS store',
      'services',
      'relay',
      'DKIM',
      'outbox',
      'dead letters',
      'mail',
    ])
      expect(of(check)).toEqual({ check, state: 'OK', message: expect.any(String), remedy: null });
    expect(of('backup')).toMatchObject({ state: 'WARN' });
    // The test server runs without durability.
    expect(of('PostgreSQL').message).toMatch(/fsync/);
    await database.query(`insert into domain.backup (backup_id, kind, finished_at) values ($1, 'PHYSICAL', now())`, [
      newUuid(),
    ]);
    expect((await examined()).of('backup')).toMatchObject({ state: 'OK', message: 'the last one is 0 hours old' });
  });

  it('warns of the self-signed certificate of a fresh installation, and says what to set', async () => {
    const { of } = await examined({ SMTP_LISTEN_PORT: listenerPort });
    expect(of('SMTP listener')).toMatchObject({ state: 'OK' });
    expect(of('certificate')).toMatchObject({
      state: 'WARN',
      message: 'the SMTP listener has a self-signed certificate',
      remedy: expect.stringContaining('Set SMTP_TLS_CERT_FILE and SMTP_TLS_KEY_FILE'),
    });
  });

  it('warns of relays that sign in place of Tidings, whose alignment it cannot see', async () => {
    const remedy = expect.stringContaining('aligned with each sender’s (RFC 7489 section 3.1.1)');
    const { status, of } = await examined({ SMTP_DKIM: 'relay', SMTP_FALLBACK_DKIM: 'relay' });
    expect(status).toBeGreaterThan(0);
    expect(of('DKIM')).toMatchObject({ state: 'WARN', message: expect.stringMatching(/for SMTP_URL,/), remedy });
    const fallback = await examined({ SMTP_DKIM: 'both', SMTP_FALLBACK_DKIM: 'relay', SMTP_FALLBACK_URL: sink.url });
    expect(fallback.of('DKIM')).toMatchObject({ state: 'WARN', message: expect.stringMatching(/SMTP_FALLBACK_URL,/) });
    const { of: both } = await examined({ SMTP_DKIM: 'both', SMTP_FALLBACK_DKIM: 'ours', SMTP_FALLBACK_URL: sink.url });
    expect(both('DKIM')).toMatchObject({ state: 'OK' });
  });

  it('finds mail that is held', async () => {
    await database.query(`insert into delivery.mail_hold (reason, held_by) values ('a wrong template', 'spec')`);
    const { of } = await examined();
    expect(of('mail').message).toMatch(/^held since .*: a wrong template$/);
    await database.query(`delete from delivery.mail_hold`);
  });

  it('finds events that a service missed, and an outbox that keeps some for a service that is away', async () => {
    await database.query(`insert into workflow.event_gap (consumer, source, lane, after_number, before_number)
      values ('workflow', 'delivery', 0, 1, 5)`);
    expect((await examined()).of('events')).toMatchObject({
      state: 'FAIL',
      message: expect.stringContaining('workflow missed events of delivery (1 gaps)'),
      remedy: expect.stringContaining('events rebuild workflow'),
    });
    await database.query(`update workflow.event_gap set resolved_at = now()`);
    await database.query(`insert into delivery.outbox_reader (consumer, numbers, noted_at, applied_until)
      values ('campaign', '{}', now() - interval '2 days', now() - interval '2 days')
      on conflict (consumer) do update set applied_until = excluded.applied_until`);
    expect((await examined()).of('events')).toMatchObject({
      state: 'WARN',
      message: expect.stringMatching(
        /^the outbox of delivery keeps the events since .*, since campaign has not applied/,
      ),
    });
    await database.query(`update delivery.outbox_reader set applied_until = now()`);
    expect((await examined()).of('events').message).not.toMatch(/missed|outbox/);
  });

  it('finds another key, a relay that is away, and a migration that is open', async () => {
    const wrong = await examined({ MASTER_KEY: '6b'.repeat(32), SMTP_URL: 'smtp://127.0.0.1:1' });
    expect(wrong.status).toBe(1);
    expect(wrong.of('master key')).toMatchObject({ state: 'FAIL' });
    expect(wrong.of('relay')).toMatchObject({ state: 'FAIL' });
    await database.query(`create table domain.kept as select * from domain.migration order by id desc limit 1`);
    await database.query(`delete from domain.migration where id in (select id from domain.kept)`);
    expect((await examined()).of('migrations').message).toBe('1 migrations are not applied');
    await database.query(`insert into domain.migration select * from domain.kept`);
    await database.query(`drop table domain.kept`);
  });

  it('works where nothing runs, and says so', async () => {
    for (const name of ['DATABASE_URL', 'NATS_URL', 'SMTP_URL', 'MASTER_KEY']) delete process.env[name];
    const { status, said } = await cliFixture({})('doctor');
    expect(status).toBe(3);
    expect(said.join('\n')).toMatch(
      /WARN {2}PostgreSQL +not checked[^]*WARN {2}NATS +not checked: no system runs here/,
    );
  });
});
