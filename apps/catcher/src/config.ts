import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535).default(0);

/** The mail catcher's environment; port 0 takes any free one. */
const environment = z.object({
  CATCHER_SMTP_PORT: port,
  CATCHER_HTTP_PORT: port,
  /** This machine only, unless said otherwise: anybody may send and read here. Containers say 0.0.0.0. */
  CATCHER_HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export interface CatcherConfig {
  /** Where it listens; this machine only when not given. */
  host?: string;
  smtpPort: number;
  httpPort: number;
  /** The mails lie in its folder `mailbox`. */
  dataDir: string;
  /** The newest so many are kept. */
  mailsMax: number;
}

/**
 * Reads the environment of the process.
 * @throws Error with one line per problem, naming the variable
 */
export const readConfig = (): CatcherConfig & { logLevel: string } => {
  const { data: env, error } = environment.safeParse(process.env);
  if (error) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  return {
    host: env.CATCHER_HOST,
    smtpPort: env.CATCHER_SMTP_PORT,
    httpPort: env.CATCHER_HTTP_PORT,
    dataDir: env.DATA_DIR,
    mailsMax: 10_000,
    logLevel: env.LOG_LEVEL,
  };
};
