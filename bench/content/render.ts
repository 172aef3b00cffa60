import { TestSystem } from '#testing';
import { liftRateLimit, load } from '../load.js';
import { environment, median, report } from '../report.js';

const connections = 2;
const seconds = 3;
const rounds = 5;

/** render_campaign of a whole newsletter against a bare tool call, over HTTP on a running system, turn about. */
export async function renderAgainstBare(content: unknown): Promise<void> {
  const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
  const system = await TestSystem.start({
    buildDir,
    databaseUrl,
    natsUrl,
    masterKey,
    environment: {},
    processes: ['domain', 'subscriber', 'campaign', 'gateway'],
  });
  try {
    await liftRateLimit(system, natsUrl);
    const headers = { authorization: `Bearer ${system.apiToken}`, 'content-type': 'application/json' };
    const urlOf = (tool: string) => `${system.url()}/api/v2/tools/${tool}`;
    const call = async (tool: string, body: object) => {
      const response = await fetch(urlOf(tool), { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { data: { campaignId: string } };
    };
    const { data } = await call('create_campaign', { subject: 'News', content });
    const sides = [
      { name: 'list_tags', body: '{}' },
      { name: 'render_campaign', body: JSON.stringify({ campaignId: data.campaignId }) },
    ].map((side) => ({
      ...side,
      headers,
      url: urlOf(side.name),
      connections,
      p50: [] as number[],
      p99: [] as number[],
    }));
    for (const side of sides) await load({ ...side, seconds: 1 });
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        const { p50, p99, failures } = await load({ ...side, seconds });
        if (failures > 0) throw new Error(`${side.name}: ${failures} calls failed`);
        side.p50.push(p50);
        side.p99.push(p99);
      }
    }
    const [bare, render] = sides.map(({ name, p50, p99 }) => ({ name, p50: median(p50), p99: median(p99) }));
    report(
      `content: render_campaign of that document, ${connections} connections, ${rounds} rounds of ${seconds} s, medians`,
      [bare!, render!],
      [{ name: 'p99 against a bare tool call', value: render!.p99 / bare!.p99, bar: '<= 3' }],
    );
  } finally {
    await system.stop();
  }
}
