import { afterAll, beforeAll, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { newId } from '#database';
import { copySubscribers } from '#testing';
import { Harness } from '../../../test/harness.js';

import { EntityManager } from 'typeorm';
const stat = new Map<string, { n: number; ms: number }>();
const original = EntityManager.prototype.query;
EntityManager.prototype.query = async function (this: EntityManager, ...args: unknown[]) {
  const t = performance.now();
  const r = await (original as (...a: unknown[]) => Promise<unknown>).apply(this, args);
  const key = String(args[0]).replace(/\s+/g, ' ').slice(0, 70);
  const one = stat.get(key) ?? { n: 0, ms: 0 };
  one.n++;
  one.ms += performance.now() - t;
  stat.set(key, one);
  return r;
} as never;
const report = () => {
  for (const [k, { n, ms }] of stat) process.stderr.write(`  ${(ms / n).toFixed(1)} ms x ${n}  ${k}\n`);
  stat.clear();
};
const ours = { organizationId: newId('org') };
let tidings: Harness;
beforeAll(async () => {
  tidings = await Harness.start();
});
afterAll(() => tidings.stop());
const time = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const t = performance.now();
  const r = await work();
  process.stderr.write(`${what}: ${(performance.now() - t).toFixed(1)} ms\n`);
  return r;
};
it('import', async () => {
  for (const round of [0, 1, 2]) {
    const cpu = process.cpuUsage();
    for (const call of [0, 1, 2, 3, 4, 5]) {
      const subscribers = Array.from({ length: 500 }, (_, i) => ({
        email: `p${call * 500 + i}@example.com`,
        name: `Person ${i} ${round}`,
        tags: ['a', 'b'],
        fields: { City: `c${i % 7}`, Score: i + round, Lang: 'fr' },
      }));
      await time(`import round ${round}`, () => tidings.data('import_subscribers', { subscribers }, ours));
    }
    const c = process.cpuUsage(cpu);
    process.stderr.write(`node cpu ${(c.user + c.system) / 6000} ms per call\n`);
    report();
  }
  const subscribers = Array.from({ length: 500 }, (_, i) => ({ email: `q${i}@example.com`, name: `Person ${i}` }));
  await time(`import bare`, () => tidings.data('import_subscribers', { subscribers }, ours));
}, 120000);
it('bench', async () => {
  const n = Number(process.env.N ?? 100000);
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = new URL((tidings.dataSource('subscriber').options as { url: string }).url).pathname;
  await time('copy', () =>
    copySubscribers({ databaseUrl: url.toString(), organizationId: ours.organizationId, count: n }),
  );
  const ask = tidings.client(subscriberRequests);
  const caller = () => tidings.caller(ours);
  const tag = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] }];
  const three = [...tag, { type: 'FIELD', fieldName: 'number', valueType: 'NUMBER', operator: 'LESS_THAN', value: 30 }];
  for (const f of [
    [],
    tag,
    three,
    [{ type: 'FIELD', fieldName: 'number', operator: 'EQUALS', value: 30 }],
    [{ type: 'STRING', field: 'name', operator: 'CONTAINS', value: '77' }],
  ]) {
    await time('count ' + JSON.stringify(f).slice(0, 60), () => ask.count_recipients({ filters: f }, caller()));
    await time('again', () => ask.count_recipients({ filters: f }, caller()));
  }
  const audienceId = newId('aud');
  process.stderr.write(
    JSON.stringify(
      await time('freeze', () => ask.freeze_audience({ audienceId, purpose: 'SEND', filters: [] }, caller())),
    ) + '\n',
  );
  await time('freeze tag', () =>
    ask.freeze_audience({ audienceId: newId('aud'), purpose: 'SEND', filters: tag }, caller()),
  );
  for (const p of [0, 1, 2, 50, 100, 150, 199])
    await time('page ' + p, () => ask.get_audience_page({ audienceId, pageNumber: p, showIf: [] }, caller()));
  for (const p of [3, 4, 5])
    await time('page with shows ' + p, () =>
      ask.get_audience_page({ audienceId, pageNumber: p, showIf: [three, tag] }, caller()),
    );
  for (const i of [
    {},
    { status: 'SUBSCRIBED' },
    { tag: 'half' },
    { query: 'person 77' },
    { query: 'person9999' },
    { query: 'half' },
    { query: 'zzzz' },
    { query: 'ab' },
  ]) {
    await time('list ' + JSON.stringify(i), () => tidings.data('list_subscribers', i, ours));
    await time('list ' + JSON.stringify(i), () => tidings.data('list_subscribers', i, ours));
  }
  await time('count query', () => tidings.data('count_subscribers', { query: 'person9999' }, ours));
  for (let i = 0; i < 5; i++)
    await time('add', () =>
      tidings.data('import_subscribers', { subscribers: [{ email: `one${i}@example.com`, tags: ['a'] }] }, ours),
    );
  for (let i = 0; i < 3; i++)
    await time('get', () => tidings.data('get_subscriber', { email: `one${i}@example.com` }, ours));
}, 600000);
