import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { observedGauges } from './metrics.js';

/** Named checks of readiness; each throws or answers false when the process cannot do its work. */
export type ReadinessChecks = Record<string, () => Promise<boolean> | boolean>;

export interface HealthServer {
  port: number;
  close: () => Promise<void>;
}

/** Probes and readings of the metrics give up after 3 s: what has not answered before has failed. */
const checkMs = 2_000;

export async function failedChecks(checks: ReadinessChecks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        return (await Promise.race([check(), sleep(checkMs, false, { ref: false })])) ? null : name;
      } catch {
        return name;
      }
    }),
  );
  return results.filter((name) => name !== null);
}

export function observeReadiness(registry: Registry, checks: ReadinessChecks): void {
  const gauges = { tidings_ready: { help: 'Result of a readiness check: 1 passed, 0 failed', label: 'check' } };
  observedGauges(registry, gauges, async () => {
    const failed = await failedChecks(checks);
    return { tidings_ready: new Map(Object.keys(checks).map((name) => [name, Number(!failed.includes(name))])) };
  });
}

/**
 * @param variable the environment variable that sets the port
 * @returns the error of a server that cannot listen; when its port is taken, one that says what to do
 */
export function listenError(
  error: unknown,
  { host, port, variable }: { host: string; port: number; variable: string },
): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  return new Error(`Port ${port} of ${host} is taken. End the program that listens there, or set ${variable}.`, {
    cause: error,
  });
}

/**
 * Serves `/healthz` (the process is alive), `/readyz` (it can work; 503 names the failed checks) and `/metrics`.
 * @param port 0 for any free one
 * @returns the port it listens on, and a function that closes it
 * @throws Error naming HEALTH_PORT when the port is taken
 */
export async function startHealthServer(options: {
  host: string;
  port: number;
  checks: ReadinessChecks;
  registry: Registry;
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const path = request.url?.split('?')[0];
      if (path === '/healthz') return { status: 200, type: 'application/json', body: '{"status":"ok"}' };
      if (path === '/readyz') {
        const failed = await failedChecks(options.checks);
        const body = JSON.stringify(failed.length === 0 ? { status: 'ready' } : { status: 'not ready', failed });
        return { status: failed.length === 0 ? 200 : 503, type: 'application/json', body };
      }
      if (path === '/metrics') {
        return { status: 200, type: options.registry.contentType, body: await options.registry.metrics() };
      }
      return { status: 404, type: 'text/plain', body: '' };
    };
    answer().then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  }).catch((error: unknown) => {
    throw listenError(error, { ...options, variable: 'HEALTH_PORT' });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
