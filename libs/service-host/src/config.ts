import { Resolver } from 'node:dns';
import { z } from 'zod';
import { namespace } from '#bus';

/** What every service must be told. Secrets come from the environment only. */
export const serviceEnvironment = z.object({
  DATABASE_URL: z.url(),
  NATS_URL: z.string().min(1),
  NATS_NAMESPACE: namespace.default('tidings'),
  /** The namespace in which the domain service answers, for services of another cell. */
  HOME_CELL: namespace.optional(),
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  MASTER_KEY: z.string().regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in hex'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Where a collector takes OpenTelemetry's traces (OTLP over HTTP); without one nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** `ip` or `ip:port`, with commas between; empty for the machine's. */
  DNS_SERVERS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter((one) => one !== ''))
    .refine(areServers, 'must be IP addresses, each with or without a port, with commas between'),
  HEALTH_HOST: z.string().default('127.0.0.1'),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(10),
  /** Runtime roles' prefix; the database's name when empty. */
  DATABASE_ROLE_PREFIX: z.string().default(''),
  /** `boot` migrates when a process starts; `never` leaves it to the migration job, which says `only` and ends then. */
  MIGRATE: z.enum(['boot', 'never', 'only']).default('boot'),
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

/** The configuration of services that work on content. */
export const contentThreads = {
  /** Threads that read and compile content of more than a page; one organization never holds the last of several. */
  CONTENT_THREADS: z.coerce.number().int().min(1).max(16).default(2),
  /** The compiled thread, for processes that run from sources. */
  CONTENT_THREAD_URL: z.url({ protocol: /^file$/ }).optional(),
};

/** Former names of settings, by today's; they work for one release. `convert` changes the unit. */
const formerNames: Record<string, { name: string; convert?: (value: string) => string }> = {
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

/** Names of settings that are still read under a warning. */
export const formerSettings = Object.values(formerNames).map(({ name }) => name);

/** The settings a schema reads; a schema that transforms its output begins with an object too. */
function keysOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodPipe) return keysOf(schema.in);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The environment with former names replaced by today's. @returns `conflicts`: settings whose two names disagree */
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
 * Reads and checks the environment of a process. A former name of a setting works with a warning.
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
