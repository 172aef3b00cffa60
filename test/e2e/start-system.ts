import { TestSystem } from '#testing';

/** All services of the real system, in the order they start. */
export const allServices = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'] as const;

/**
 * Starts the real system as processes, on the servers of this Jest run.
 * @param environment added to every process; without SMTP_URL mail goes nowhere but stays queued
 */
export const startSystem = (
  environment: Record<string, string>,
  processes: readonly string[] = allServices,
): Promise<TestSystem> =>
  TestSystem.start({
    buildDir: process.env.TIDINGS_BUILD_DIR!,
    databaseUrl: process.env.DATABASE_URL!,
    natsUrl: process.env.NATS_URL!,
    masterKey: process.env.MASTER_KEY!,
    environment: { SMTP_URL: 'smtp://127.0.0.1:9', ...environment },
    processes,
  });
