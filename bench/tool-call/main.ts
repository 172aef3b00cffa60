import { fork } from 'node:child_process';
import { join } from 'node:path';
import { uuidOf } from '#database';
import { TestSystem } from '#testing';
import { liftRateLimit, load } from '../load.js';
import type { LoadResult } from '../load.js';
import { environment, median, report } from '../report.js';

const connections = 64;
const seconds = 5;
const rounds = 3;

/** The statement of list_tags, word for word as the repository sends it. */
const statement = `select t.tag_id, t.name, coalesce(c.n, 0)::int as holders from tag t
       left join (select key, sum(n) as n from (
         select key, n from tally where organization_id = $1 and metric = $2
         union all select key, n from tally_delta where organization_id = $1 and metric = $2) d group by key) c on c.key = t.tag_id::text
       where t.organization_id = $1 and t.deleted_at is null order by t.name_key`;

/**
 * A tool call (list_tags of ten tags, 64 connections) against the same Fastify, hop and statement without our code; and a
 * tool that writes (get_or_create_tags of one that is there) with and without the audit log.
 */
async function toolCall(): Promise<void> {
  const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
  const system = await TestSystem.start({
    buildDir,
    databaseUrl,
    natsUrl,
    masterKey,
    environment: {},
    processes: ['domain', 'subscriber', 'gateway'],
  });
  const helpers: ReturnType<typeof fork>[] = [];
  try {
    const { organizationId, apiToken } = system;
    await liftRateLimit(system, natsUrl);
    const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' };
    const names = Array.from({ length: 10 }, (_, n) => `tag ${n}`);
    await fetch(`${system.url()}/api/v2/tools/get_or_create_tags`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ names }),
    });
    const raw = async (file: string) => {
      const child = fork(join(buildDir, 'bench', 'tool-call', file), [], {
        env: {
          ...system.environment,
          RAW_STATEMENT: JSON.stringify({ statement, values: [uuidOf('org', organizationId), 'tagged'] }),
        },
      });
      helpers.push(child);
      return await new Promise<{ url: string }>((resolve, reject) => {
        child.once('message', (facts) => resolve(facts as { url: string }));
        child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
      });
    };
    await raw('baseline-service.js');
    const { url } = await raw('baseline-gateway.js');
    const unaudited = await raw('unaudited-gateway.js');
    const write = { path: '/api/v2/tools/get_or_create_tags', headers, body: JSON.stringify({ names: ['tag 1'] }) };
    const sides = [
      { name: 'tool call', url: `${system.url()}/api/v2/tools/list_tags`, headers, body: '{}' },
      { name: 'raw, same statement', url: `${url}/statement`, headers, body: '{}' },
      { name: 'raw hop, no statement', url: `${url}/hop`, headers, body: '{}' },
      { ...write, name: 'write tool, audited', url: `${system.url()}${write.path}` },
      { ...write, name: 'write tool, not audited', url: `${unaudited.url}${write.path}` },
    ];
    const results = new Map<string, LoadResult[]>();
    for (const side of sides) await load({ ...side, connections, seconds: 2 });
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        const result = await load({ ...side, connections, seconds });
        if (result.failures > 0) throw new Error(`${side.name}: ${result.failures} calls failed`);
        results.set(side.name, [...(results.get(side.name) ?? []), result]);
      }
    }
    const [tenant, same, hop, audited, bare] = sides.map(({ name }) => ({
      name,
      rate: median(results.get(name)!.map(({ rate }) => rate)),
      p50: median(results.get(name)!.map(({ p50 }) => p50)),
      p99: median(results.get(name)!.map(({ p99 }) => p99)),
    }));
    report(
      `tool-call: list_tags, ${connections} connections, ${rounds} rounds of ${seconds} s, medians`,
      [tenant!, same!, hop!, audited!, bare!],
      [
        { name: 'throughput against the same statement', value: tenant!.rate / same!.rate, bar: '>= 0.7' },
        { name: 'p99 against the same statement', value: tenant!.p99 / same!.p99, bar: '<= 3' },
        { name: 'throughput against the bare hop', value: tenant!.rate / hop!.rate, bar: '(no bar)' },
        { name: 'writes with the audit log against without', value: audited!.rate / bare!.rate, bar: '(no bar)' },
      ],
    );
  } finally {
    helpers.forEach((child) => child.disconnect());
    await system.stop();
  }
}

await toolCall();
