import type { AddressInfo, Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus } from '#bus';
import { createLogger, listenError, observeReadiness, quietNest, startHealthServer } from '#observability';
import type { HealthServer, Logger, Metrics, Running } from '#observability';
import type { Preparation } from '#process';
import { readEnvironment } from '#service-host';
import { AuditLog } from './audit/audit-log.js';
import { gatewayEnvironment } from './config.js';
import type { GatewayConfig } from './config.js';
import { GatewayModule, LOGGER, METRICS } from './gateway.module.js';
import { edgeOptions, installEdge } from './http/server-options.js';
import { sendThrown } from './http/error-handler.js';
import { LinkEffects } from './link/link-effects.service.js';

/** Longer than the 25 s deadline of a call, after which no call can still finish. */
const finishMs = 26_000;
const drainMs = 1_000;
const lingerStepMs = 50;
/** For the last opens and clicks; the log counts those that remain. */
const handOverMs = 2_000;

export const prepare = (): Preparation => {
  const config = readEnvironment(gatewayEnvironment);
  return { log: createLogger('gateway', config.LOG_LEVEL), start: () => boot(config) };
};

/**
 * @returns its address and health port for the supervisor; `stop` ends each connection with its next response, then
 * accepts no new ones and waits for calls in progress
 */
export async function boot(config: GatewayConfig): Promise<Running> {
  const https = config.PUBLIC_URL.startsWith('https:');
  let stopping = false;
  const adapter = new FastifyAdapter({ ...edgeOptions({ trustProxy: config.TRUST_PROXY, https }), skipMiddie: true });
  installEdge(adapter.getInstance(), { https, isStopping: () => stopping });
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.of(config), adapter, {
    bodyParser: false,
    logger: quietNest,
    abortOnError: false,
  });
  const bus = app.get(Bus);
  const log = app.get<Logger>(LOGGER);
  app.useGlobalFilters({
    catch: (thrown, host) => {
      const http = host.switchToHttp();
      sendThrown(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), thrown, log);
    },
  });
  const server = app.getHttpServer();
  const { registry } = app.get<Metrics>(METRICS);
  // Decision: an unavailable service fails call by call and leaves the gateway ready, since the public links and the
  // other services' tools still work.
  const checks = { bus: () => bus.connected, start: () => server.listening && !stopping };
  observeReadiness(registry, checks);
  let health: HealthServer | undefined;
  try {
    health = await startHealthServer({ host: config.HEALTH_HOST, port: config.HEALTH_PORT, registry, checks });
    const address = { host: config.HOST, port: config.PORT };
    await app.listen(address).catch((error: unknown) => {
      throw listenError(error, { ...address, variable: 'PORT' });
    });
  } catch (error) {
    await health?.close();
    await bus.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    facts: { url: `http://${urlHost(config.HOST)}:${port}`, healthPort: health.port },
    stop: async () => {
      stopping = true;
      await lingered(server);
      const cut = setTimeout(() => server.closeAllConnections(), finishMs);
      await app.close();
      clearTimeout(cut);
      const lost = await app.get(LinkEffects).stop(handOverMs);
      const unwritten = await app.get(AuditLog).stop(handOverMs);
      if (unwritten > 0) log.error({ unwritten }, 'dropped audit log entries: publish failed before the stop');
      if (lost > 0) log.error({ lost }, 'dropped tracking hits: publish failed before the stop');
      await health.close();
      await bus.close();
    },
  };
}

/**
 * Keeps serving for a while, each response being the last on its connection: closing a kept-alive connection while its
 * client sends the next call would fail that call.
 */
async function lingered(server: Server): Promise<void> {
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  for (let waited = 0; waited < drainMs && (await open()) > 0; waited += lingerStepMs) await pause(lingerStepMs);
}

/** A host that listens on all addresses is reached at this machine. */
const urlHost = (host: string): string =>
  ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
