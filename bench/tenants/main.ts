import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, serviceCaller } from '#bus';
import { domainRequests } from '#contracts';
import { SmtpSink, TestSystem } from '#testing';
import { environment, report } from '../report.js';
import { attacks, silentNameServer } from './attacks.js';
import type { Attack } from './attacks.js';
import { Tenant } from './tenant.js';
import type { Answer } from './tenant.js';

/*
 * What an organization notices of another that takes all it can: calls of an ordinary one while each of the cases in
 * attacks.ts goes on in a loop, against its calls alone. Rate limits are those of the plan ENTERPRISE.
 * `--seconds=<of each case>`, 20 unless said otherwise; `--only=<part of a case's name>`; `--profile=<folder>` writes
 * a CPU profile of each process there.
 */

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const seconds = Number(option('seconds') ?? 20);
const only = option('only') ?? '';
const profile = option('profile');
// Forked processes get the options of this one.
if (profile) process.execArgv.push('--cpu-prof', `--cpu-prof-dir=${profile}`);
const hostileClients = 10;
/** Milliseconds between two calls of the ordinary organization, regardless of response times: ten a second. */
const everyMs = 100;
/** Milliseconds that p99 may come to in any case. */
const floorMs = 150;

const letter = `# Spring news\n\nHello {{firstName | 'friend'}},\n\n${'Here is what grows. '.repeat(60)}\n\n[Unsubscribe]({{unsubscribeUrl}})`;

/** What an ordinary organization does, turn about. */
const ordinaryCalls: ((tenant: Tenant, n: number) => Promise<Answer>)[] = [
  (tenant) => tenant.call('list_tags', {}),
  (tenant, n) => tenant.call('add_subscriber', { email: `o${n}@example.com`, name: 'Ada', fields: { city: 'Rome' } }),
  (tenant) => tenant.call('list_subscribers', { limit: 20 }),
  (tenant, n) =>
    tenant.call('create_campaign', {
      name: `c${n}`,
      subject: 'News',
      contentType: 'MARKDOWN',
      content: `${letter} ${n}`,
    }),
  (tenant) => tenant.call('list_campaigns', {}),
];

interface Times {
  p50: number;
  p99: number;
  failed: number;
}

/** Calls of the ordinary organization at a fixed pace. */
async function measure(tenant: Tenant, forSeconds: number): Promise<Times> {
  const times: number[] = [];
  let failed = 0;
  const open: Promise<void>[] = [];
  const fail = (why: string) => {
    failed += 1;
    process.stdout.write(`failed: ${why}\n`);
  };
  const ends = performance.now() + forSeconds * 1000;
  for (let n = 0; performance.now() < ends; n++) {
    const began = performance.now();
    const call = ordinaryCalls[n % ordinaryCalls.length]!;
    open.push(
      call(tenant, n).then(
        ({ status, error }) => {
          times.push(performance.now() - began);
          if (status !== 200) fail(`${status} ${error}`);
        },
        (error: unknown) => fail(String(error)),
      ),
    );
    await sleep(everyMs);
  }
  await Promise.all(open);
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(times.length * 0.5)]!, p99: times[Math.floor(times.length * 0.99)]!, failed };
}

/** Does a case in a loop by several clients until it is stopped. */
function loop(attack: Attack, tenant: Tenant): () => Promise<void> {
  let going = true;
  let n = 0;
  const clients = Array.from({ length: hostileClients }, async () => {
    while (going) {
      await attack.once(tenant, n++).catch(() => sleep(100));
      // Refused by its rate limit, a client goes on asking, but the generator must not become the load.
      await sleep(5);
    }
  });
  return async () => {
    going = false;
    await Promise.all(clients);
    attack.end?.();
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function tenants(): Promise<boolean> {
  const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
  const [sink, names, smtpPort] = [await SmtpSink.start({ forget: true }), await silentNameServer(), await freePort()];
  const system = await TestSystem.start({
    buildDir,
    databaseUrl,
    natsUrl,
    masterKey,
    environment: { SMTP_URL: sink.url, DNS_SERVERS: names.address, SMTP_LISTEN_PORT: String(smtpPort) },
    processes: ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'],
  });
  const bus = await connectBus({ url: natsUrl, namespace: system.databaseName, name: 'bench' });
  const open = async (name: string) => {
    const domain = bus.client(domainRequests);
    const caller = (organizationId: string) => serviceCaller(organizationId, randomUUID());
    const { organization } = await domain.create_organization({ name }, caller(''));
    await domain.set_organization({ organizationId: organization.id, plan: 'ENTERPRISE' }, caller(organization.id));
    const { secret } = await domain.create_token(
      { organizationId: organization.id, name: 'bench' },
      caller(organization.id),
    );
    return new Tenant(system.url(), secret);
  };
  try {
    const ordinary = await open('Ordinary');
    await measure(ordinary, 5);
    const quiet = await measure(ordinary, seconds);
    const allowed = Math.max(3 * quiet.p99, floorMs);
    const rows = [{ name: 'alone, ms', ...quiet }];
    let worst = 0;
    for (const attack of attacks(smtpPort)) {
      if (!attack.name.includes(only)) continue;
      const hostile = await open(attack.name);
      await attack.prepare?.(hostile);
      const stop = loop(attack, hostile);
      await sleep(1_000);
      const times = await measure(ordinary, seconds);
      await stop();
      hostile.leave();
      worst = Math.max(worst, times.p99);
      rows.push({ name: attack.name, ...times });
      process.stdout.write(
        `${attack.name}: ${JSON.stringify(times)} hostile ${JSON.stringify([...hostile.statuses])}\n`,
      );
    }
    const ended = system.processes.filter(({ child }) => child.exitCode !== null || child.signalCode !== null);
    for (const { name, lines } of ended) process.stdout.write(`${name} ended:\n${lines.join('\n')}\n`);
    report(`tenants: ordinary calls, ms, ${seconds} s each, beside one that is hostile`, rows, [
      { name: 'worst p99 against what is allowed', value: worst / allowed, bar: '<= 1' },
      { name: 'processes that ended', value: ended.length, bar: '0' },
    ]);
    return ended.length === 0 && worst <= allowed;
  } finally {
    await bus.close();
    await system.stop();
    await sink.stop();
    names.close();
  }
}

if (!(await tenants())) process.exitCode = 1;
