import { z } from 'zod';
import { otherCells } from '#bus';

const text = z.string().min(1).optional().catch(undefined);

/** Addresses of the running system; `npm run tidings` sets them for a system that `npm start` started on this machine. */
export const operatorEnvironment = z.object({
  NATS_URL: text,
  NATS_NAMESPACE: z.string().default('tidings'),
  CELLS: otherCells,
  TIDINGS_URL: text.describe('Address of the Tidings installation that `tidings` calls with TIDINGS_TOKEN.'),
  TIDINGS_TOKEN: text.describe(
    'API token of `tidings` for the installation at TIDINGS_URL, and of the client that `mcp-config` configures.',
  ),
  MASTER_KEY: text,
  PORT: text,
  HOST: text,
});
export type OperatorConfig = z.infer<typeof operatorEnvironment>;

export const readOperatorConfig = (environment: NodeJS.ProcessEnv = process.env): OperatorConfig =>
  operatorEnvironment.parse(environment);

/** How the command reaches the API: with a token, or beside the system with a pass signed by the master key. */
export type ApiAccess = { url: string; token: string } | { url: string; masterKey: string };

/** Interfaces of the gateway that accept connections on 127.0.0.1. */
const reachedByLoopback = /^(?:127\.0\.0\.1|0\.0\.0\.0|::|localhost)?$/;

/** @returns null when the environment names no running system */
export function apiAccess({
  TIDINGS_URL: url,
  TIDINGS_TOKEN: token,
  MASTER_KEY: masterKey,
  PORT: port,
  HOST: host = '',
}: OperatorConfig): ApiAccess | null {
  if (url !== undefined) return token === undefined ? null : { url, token };
  if (masterKey === undefined || port === undefined) return null;
  const name = reachedByLoopback.test(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${port}`, masterKey };
}

/** How MCP clients reach the system, from the environment: the public address and an API token. */
export const mcpDefaults = (environment: NodeJS.ProcessEnv = process.env) => ({
  url: environment.PUBLIC_URL || 'http://localhost:3000',
  token: environment.TIDINGS_TOKEN || 'tdg_YOUR_TOKEN',
});

/** The settings of an installation that the doctor checks; missing ones are not checked. */
export const doctorEnvironment = z.object({
  DATABASE_URL: text,
  DATABASE_ROLE_PREFIX: text,
  NATS_URL: text,
  MASTER_KEY: text,
  SMTP_URL: text,
  SMTP_DKIM: text,
  SMTP_FALLBACK_URL: text,
  SMTP_FALLBACK_DKIM: text,
  PUBLIC_URL: text,
  DATA_DIR: text,
  SMTP_LISTEN_PORT: z.coerce.number().int().min(0).max(65535).optional().catch(undefined),
});
export type DoctorConfig = z.infer<typeof doctorEnvironment>;

export const readDoctorConfig = (environment: NodeJS.ProcessEnv = process.env): DoctorConfig =>
  doctorEnvironment.parse(environment);

/**
 * The environment of a service's process that applies its migrations and ends; settings beside the database must be
 * present and are not used.
 */
export const migrationEnvironment = (
  ownerUrl: string,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => ({
  NATS_URL: 'nats://localhost',
  PUBLIC_URL: 'http://localhost',
  ...environment,
  MIGRATE: 'only',
  DATABASE_URL: ownerUrl,
});
