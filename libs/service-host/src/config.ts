import { Resolver } from 'node:dns';
import { z } from 'zod';
import { namespace } from '#bus';

/** Secrets come from the environment only. */
export const serviceEnvironment = z.object({
  DATABASE_URL: z
    .url()
    .describe(
      'PostgreSQL 15 or later. With `MIGRATE=boot` the account owns the database and may create roles and schemas.',
    ),
  NATS_URL: z.string().min(1).describe('NATS 2.10.23 or later with JetStream: `nats://[token@]host:port`.'),
  NATS_NAMESPACE: namespace
    .default('tidings')
    .describe('Prefix of all subjects and streams. The namespace is the name of the cell.'),
  HOME_CELL: namespace
    .optional()
    .describe('Namespace of the cell in which the domain service runs. Services of other cells need it.'),
  NATS_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('Copies that NATS keeps of each stream and bucket.'),
  EVENTS_MAX_MB: z.coerce
    .number()
    .int()
    .min(16)
    .max(1_000_000)
    .default(4_000)
    .describe(
      'Most megabytes of the stream of events. When it is full, events wait in the outbox. NATS reserves them on each server.',
    ),
  HITS_MAX_MB: z.coerce
    .number()
    .int()
    .min(16)
    .max(1_000_000)
    .default(1_000)
    .describe('Most megabytes of the stream of opens and clicks. NATS reserves them on each server.'),
  MASTER_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in hex')
    .describe(
      '32 bytes in hexadecimal. All keys and the passwords of the database roles derive from it. A start with another key than that of the data is refused.',
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe level that is logged. At `debug` and `trace`, addresses are not masked.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP). Without it nothing is traced.'),
  DNS_SERVERS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter((one) => one !== ''))
    .refine(areServers, 'must be IP addresses, each with or without a port, with commas between')
    .describe(
      'DNS servers for records of domains and hosts of fetches: `ip` or `ip:port`, separated by commas. Empty: those of the machine.',
    ),
  HEALTH_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Interface on which the process serves `/healthz`, `/readyz` and `/metrics`.'),
  HEALTH_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(0)
    .describe(
      'Port of `/healthz`, `/readyz` and `/metrics`; 0 takes a free port. Under `npm start` the six services use this port and the five after it.',
    ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('Most connections to PostgreSQL that one process keeps.'),
  DATABASE_ROLE_PREFIX: z
    .string()
    .default('')
    .describe('Prefix of the runtime roles in PostgreSQL. Empty: the name of the database.'),
  MIGRATE: z
    .enum(['boot', 'never', 'only'])
    .default('boot')
    .describe(
      '`boot` migrates when a process starts. `never` leaves it to the migration job. `only` migrates and ends.',
    ),
});
export type ServiceConfig = z.infer<typeof serviceEnvironment>;

function areServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

export const contentThreads = {
  CONTENT_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(2)
    .describe('Threads of a process that parse and compile content of more than 2 kB.'),
  CONTENT_THREAD_URL: z
    .url({ protocol: /^file$/ })
    .optional()
    .describe('Compiled worker of the `CONTENT_THREADS`, for processes that run from sources. Not for operators.'),
};

/** Former names of settings, by today's, which work for one release; `convert` changes the unit. */
export const formerNames: Record<string, { name: string; convert?: (value: string) => string }> = {
  AUTO_PAUSE: { name: 'PAUSE_ON_TROUBLE' },
  CAMPAIGN_LEASE_SECONDS: { name: 'CAMPAIGN_LEASE_MS', convert: (ms) => String(Number(ms) / 1_000) },
  CATCHER_URL: { name: 'MAILBOX_URL' },
  DATABASE_POOL_SIZE: { name: 'DATABASE_POOL' },
  DNS_TIMEOUT_SECONDS: { name: 'DNS_LIMIT_SECONDS' },
  FETCH_ALLOWED_ADDRESSES: { name: 'FETCH_ALLOW' },
  HOME_CELL: { name: 'HOME_NAMESPACE' },
  RECIPIENT_CACHE_TTL_SECONDS: { name: 'SEND_FRESH_SECONDS' },
  RENDER_THREADS: { name: 'MAKING_THREADS' },
  RENDER_THREAD_URL: { name: 'MAKING_THREAD' },
};

export const formerSettings = Object.values(formerNames).map(({ name }) => name);

function keysOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodPipe) return keysOf(schema.in);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function underTodaysNames(keys: readonly string[], environment: NodeJS.ProcessEnv) {
  const renamed: NodeJS.ProcessEnv = { ...environment };
  const conflicts: string[] = [];
  for (const key of keys) {
    const former = formerNames[key];
    const given = former && environment[former.name];
    if (!former || given === undefined || given === '') continue;
    const value = former.convert?.(given) ?? given;
    if (environment[key] !== undefined && environment[key] !== '' && environment[key] !== value) {
      conflicts.push(`${former.name}: was renamed to ${key}, and the two are set to different values; remove it`);
    } else {
      const message = `The setting ${former.name} was renamed to ${key}. The old name stops working in the next release.`;
      process.emitWarning(message, { type: 'DeprecationWarning', code: `TIDINGS_${former.name}` });
      renamed[key] = value;
    }
  }
  return { renamed, conflicts };
}

/**
 * Reads and checks the environment of a process; a former name of a setting works with a warning.
 * @throws Error with one line per problem, naming the variable
 */
export function readEnvironment<S extends z.ZodType>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const { renamed, conflicts } = underTodaysNames(keysOf(schema), environment);
  const parsed = schema.safeParse(renamed);
  if (parsed.success && conflicts.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  const lines = [...conflicts, ...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)];
  throw new Error(`The environment is not right:\n${lines.join('\n')}`);
}
