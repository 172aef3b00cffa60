import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cloneDatabase, TestSystem, testRolePrefix } from '#testing';
import type { SystemOptions } from '#testing';

/** All services of the real system, in the order they start. */
export const allServices = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'] as const;

const buildDir = process.env.TIDINGS_BUILD_DIR!;

/**
 * Starts the real system as processes, on the servers of this Jest run.
 * @param environment added to every process; without SMTP_URL mail goes nowhere but stays queued
 */
export async function startSystem(
  environment: Record<string, string>,
  { processes = allServices, inOneProcess = false }: Partial<Pick<SystemOptions, 'processes' | 'inOneProcess'>> = {},
): Promise<TestSystem> {
  const { url } = await cloneDatabase(migrate);
  return await TestSystem.start({
    buildDir,
    databaseUrl: process.env.DATABASE_URL!,
    ownDatabaseUrl: url,
    natsUrl: process.env.NATS_URL!,
    masterKey: process.env.MASTER_KEY!,
    environment: { SMTP_URL: 'smtp://127.0.0.1:9', ...environment },
    processes,
    inOneProcess,
  });
}

/** As a Job of Kubernetes does before a new version starts. */
async function migrate(ownerUrl: string): Promise<void> {
  for (const service of allServices.filter((name) => name !== 'gateway'))
    await promisify(execFile)(process.execPath, [join(buildDir, 'apps', service, 'src/main.js')], {
      env: {
        PATH: process.env.PATH,
        MIGRATE: 'only',
        DATABASE_URL: ownerUrl,
        DATABASE_ROLE_PREFIX: testRolePrefix,
        NATS_URL: process.env.NATS_URL,
        MASTER_KEY: process.env.MASTER_KEY,
        PUBLIC_URL: 'http://localhost:3000',
        SMTP_URL: 'smtp://127.0.0.1:9',
      },
    });
}
