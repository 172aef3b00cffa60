import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Service } from '#contracts';
import type { Running } from '#observability';
import { bootService, ServiceModule } from '#service-host';
import { environmentFor, freshDatabase, plans } from '../../../test/harness/service-plans.js';
import { operatorEnvironment } from '../src/config.js';
import { operate } from '../src/operator.js';
import { Session } from '../src/session.js';

/** Runs commands. @returns the exit status of each, and its output on both streams */
export const cliFixture =
  (environment: z.input<typeof operatorEnvironment> | null) =>
  async (...args: string[]) => {
    const said: string[] = [];
    const noted: string[] = [];
    const terminal = {
      say: (line: string) => void said.push(line),
      note: (line: string) => void noted.push(line),
      redraws: false,
      redraw: () => undefined,
    };
    const status = await operate(args, new Session(terminal, environment && operatorEnvironment.parse(environment)));
    return { status, said, noted, last: said.at(-1)! };
  };

/** Starts services as in production, in this process, on a new database and a namespace of their own. */
export async function startServices(names: readonly Service[], environment: NodeJS.ProcessEnv = {}) {
  const database = await freshDatabase();
  const config = { NATS_URL: process.env.NATS_URL!, NATS_NAMESPACE: `t-${randomUUID().slice(0, 8)}` };
  const running: Running[] = [];
  for (const makePlan of plans) {
    const plan = makePlan({ ...environmentFor(database.url), ...config, ...environment });
    if (names.includes(plan.service)) running.push(await bootService(ServiceModule.of(class {}, plan)));
  }
  return {
    config,
    databaseUrl: database.url,
    stop: async () => {
      for (const service of running) await service.stop();
      await database.drop();
    },
  };
}
