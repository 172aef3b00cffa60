import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535).default(0);

/** The mail catcher's environment; port 0 takes any free one. */
export const catcherEnvironment = z.object({
  CATCHER_SMTP_PORT: port.describe(
    'SMTP port of the mail catcher; 0 takes a free port. `npm start` uses 1025 where it is free.',
  ),
  CATCHER_HTTP_PORT: port.describe(
    'HTTP port of the mail catcher; 0 takes a free port. `npm start` uses 8025 where it is free.',
  ),
  CATCHER_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'Interface of the mail catcher. It has no authentication: every client that reaches it can send and read mail.',
    ),
  DATA_DIR: z
    .string()
    .min(1)
    .describe(
      'Folder of everything that must survive a restart. `npm start` uses `.data` in the checkout. The delivery service works without it; with it, attempt journals leave fewer messages in doubt after a crash.',
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe level that is logged. At `debug` and `trace`, addresses are not masked.'),
});

export interface CatcherConfig {
  /** Address to listen on; default: this machine only. */
  host?: string;
  smtpPort: number;
  httpPort: number;
  /** Folder whose subfolder `mailbox` holds the mails. */
  dataDir: string;
  mailsMax: number;
}

/**
 * Reads the environment of the process.
 * @throws Error with one line per problem, naming the variable
 */
export const readConfig = (): CatcherConfig & { logLevel: string } => {
  const { data: env, error } = catcherEnvironment.safeParse(process.env);
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
