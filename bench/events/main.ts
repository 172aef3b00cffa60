import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connectBus, serviceCaller } from '#bus';
import { domainRequests } from '#contracts';
import { TestSystem, until } from '#testing';
import { environment, report } from '../report.js';

const organizations = 10;
const tokensEach = 40;
const streamsPerToken = 5;
const seconds = 10;

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

const open = (url: string, token: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    request(`${url}/api/events`, { agent: false, headers }, resolve).once('error', reject).end();
  });

/**
 * Memory of a gateway with 2,000 streams of live updates, while each organization's campaign reports its progress, and
 * how long an update takes to all streams of its organization.
 */
async function events(): Promise<void> {
  const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
  const processes = ['domain', 'gateway'];
  const system = await TestSystem.start({ buildDir, databaseUrl, natsUrl, masterKey, environment: {}, processes });
  const bus = await connectBus({ url: natsUrl, namespace: system.databaseName, name: 'bench' });
  const streams: IncomingMessage[] = [];
  try {
    const { pid } = system.alive('gateway')[0]!.child;
    const domain = bus.client(domainRequests);
    const ids: string[] = [];
    const tokens: string[] = [];
    for (let n = 0; n < organizations; n++) {
      const { organization } = await domain.create_organization({ name: `Shop ${n}` }, serviceCaller('', 'bench'));
      ids.push(organization.id);
      for (let t = 0; t < tokensEach; t++) {
        const made = { organizationId: organization.id, name: 'bench', scopes: ['read' as const] };
        tokens.push((await domain.create_token(made, serviceCaller('', 'bench'))).secret);
      }
    }
    const before = residentMb(pid!);
    let received = 0;
    const delays: number[] = [];
    for (const token of tokens) {
      const opened = await Promise.all(Array.from({ length: streamsPerToken }, () => open(system.url(), token)));
      for (const stream of opened) {
        if (stream.statusCode !== 200) throw new Error(`a stream was answered ${stream.statusCode}`);
        streams.push(stream);
        stream.setEncoding('utf8').on('data', (text: string) => {
          for (const [, at] of text.matchAll(/"at":"([^"]+)"/g)) {
            received += 1;
            delays.push(Date.now() - Date.parse(at!));
          }
        });
      }
    }
    const idle = residentMb(pid!);
    let peak = idle;
    for (let round = 1; round <= seconds; round++) {
      for (const organization of ids)
        bus.live.publish({ name: 'campaign.progress', id: `cmp_${organization}`, organization, numbers: { round } });
      await until('all streams have the update', () => received === streams.length * round);
      peak = Math.max(peak, residentMb(pid!));
    }
    delays.sort((a, b) => a - b);
    report(
      `events: ${streams.length} streams of ${organizations} organizations, an update a second each, ${seconds} s`,
      [
        { name: 'memory before, MB', value: before },
        { name: 'memory with idle streams, MB', value: idle },
        { name: 'memory at most, MB', value: peak },
        { name: 'delay of an update p50, ms', value: delays[Math.floor(delays.length * 0.5)]! },
        { name: 'delay of an update p99, ms', value: delays[Math.floor(delays.length * 0.99)]! },
      ],
      [{ name: 'MB of all streams', value: peak - before, bar: '<= 150' }],
    );
  } finally {
    streams.forEach((stream) => stream.destroy());
    await bus.close();
    await system.stop();
  }
}

await events();
