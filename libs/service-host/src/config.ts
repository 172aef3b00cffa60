import { Resolver } from 'node:dns';
import { z } from 'zod';
import { namespace } from '#bus';

/** What every service must be told. Secrets come from the environment only. */
export const serviceEnvironment = z.object({
  DATABASE_URL: z.url(),
  NATS_URL: z.string().min(1),
  NATS_NAMESPACE: namespace.default('tidings'),
  /** The namespace in which the domain service answers, for services of another cell. */
  HOME_NAMESPACE: namespace.optional(),
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
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10),
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

/**
 * Reads and checks the environment of a process.
 * @throws Error with one line per problem, naming the variable
 */
export function readEnvironment<S extends z.ZodType>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not right:\n${lines.join('\n')}`);
}
