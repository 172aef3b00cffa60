import { createRequire } from 'node:module';
import type { Running } from '#observability';
import type { Preparation } from '#process';

/**
 * Runs services in this process: `node one-process.js NAME…`, by the bundles of its build. The first one is up before the
 * others start. Reports each to the parent: `{ name, ...facts }`. SIGTERM or the end of the parent stops all, the last one
 * first.
 */
const require = createRequire(import.meta.url);
const [first, ...others] = process.argv.slice(2) as [string, ...string[]];
const running: Running[] = [];

function end(): void {
  const stopAll = async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  };
  stopAll().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

process.once('SIGTERM', end).once('disconnect', end);

async function run(name: string): Promise<void> {
  const { prepare } = require(`../../../bundles/${name}.cjs`) as { prepare: () => Preparation };
  const started = await prepare().start();
  running.push(started);
  process.send!({ name, ...started.facts });
}

await run(first);
await Promise.all(others.map(run));
