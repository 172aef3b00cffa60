import type { AddressInfo, Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus } from '#bus';
import { createLogger, quietNest } from '#observability';
import type { Logger, Running } from '#observability';
import type { Preparation } from '#process';
import { readEnvironment } from '#service-host';
import { AuditLog } from './audit/audit-log.js';
import { gatewayEnvironment } from './config.js';
import type { GatewayConfig } from './config.js';
import { GatewayModule, LOGGER } from './gateway.module.js';
import { edgeOptions, installEdge } from './http/server-options.js';
import { sendThrown } from './http/error-handler.js';
import { RetryBuffer } from './link/retry-buffer.js';

/** A call has 25 s; whoever has not finished by then never will. */
const finishMs = 26_000;
const drainMs = 1_000;
const lingerStepMs = 50;
/** For the last opens and clicks; what is left then is counted in the log. */
const handOverMs = 2_000;

/** Reads the settings of this process, which it starts with when it may. */
export const prepare = (): Preparation => {
  const config = readEnvironment(gatewayEnvironment);
  return { log: createLogger('gateway', config.LOG_LEVEL), start: () => boot(config) };
};

/**
 * Starts the gateway.
 * @returns its address for the supervisor; `stop` ends every connection with its next answer, then takes no new one and
 * lets calls under way finish
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
  try {
    await app.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await bus.close();
    throw explained(error as NodeJS.ErrnoException, config);
  }
  const server = app.getHttpServer();
  const { port } = server.address() as AddressInfo;
  return {
    facts: { url: `http://${urlHost(config.HOST)}:${port}` },
    stop: async () => {
      stopping = true;
      await lingered(server);
      const cut = setTimeout(() => server.closeAllConnections(), finishMs);
      await app.close();
      clearTimeout(cut);
      const lost = await app.get<RetryBuffer<unknown>>(RetryBuffer).stop(handOverMs);
      const unwritten = await app.get(AuditLog).stop(handOverMs);
      if (unwritten > 0) log.error({ unwritten }, 'entries of the audit log are lost: nobody took them');
      if (lost > 0) log.error({ lost }, 'opens and clicks are lost: nobody took them');
      await bus.close();
    },
  };
}

/**
 * Goes on answering, each answer being the last on its connection: a kept connection that is closed while its client
 * sends the next call on it would be a failed call.
 */
async function lingered(server: Server): Promise<void> {
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  for (let waited = 0; waited < drainMs && (await open()) > 0; waited += lingerStepMs) await pause(lingerStepMs);
}

function explained(error: NodeJS.ErrnoException, { HOST, PORT }: GatewayConfig): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(`Port ${PORT} of ${HOST} is taken. End the program that listens there, or set PORT.`, {
    cause: error,
  });
}

/** A host that listens everywhere is reached at this machine. */
const urlHost = (host: string): string =>
  ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
