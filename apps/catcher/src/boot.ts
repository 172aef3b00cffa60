import { join } from 'node:path';
import type { AddressInfo, Server } from 'node:net';
import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { readConfig } from './config.js';
import type { CatcherConfig } from './config.js';
import { MailStore } from './mailbox/mail-store.js';
import { createMailboxServer } from './mailbox/mailbox-server.js';
import { createSmtpListener } from './mailbox/smtp-listener.js';

export interface Catcher {
  /** Where to send mail: `smtp://host:port`. */
  smtpUrl: string;
  /** Where `/mailbox` is served: `http://host:port`. */
  mailboxUrl: string;
  stop(): Promise<void>;
}

/** Starts listening and returns the port. An error names the setting to change. */
const listen = (
  server: Pick<Server, 'listen' | 'once' | 'off' | 'address'>,
  { host, port }: { host: string; port: number },
  setting: string,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${cause.message})`;
      reject(new Error(`Port ${port} of ${host} ${why}. Set ${setting} to another one, or to 0 for any.`, { cause }));
    };
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * Starts the mail catcher: an SMTP server that keeps every mail, and the web page that shows them.
 * @throws Error naming the port or folder that cannot be used and the setting to change
 */
export const boot = async (config: CatcherConfig): Promise<Catcher> => {
  const { host = '127.0.0.1' } = config;
  const store = await MailStore.open(join(config.dataDir, 'mailbox'), config.mailsMax);
  const smtp = createSmtpListener(store);
  const http = createMailboxServer(store);
  const stopSmtp = (): Promise<void> => new Promise((resolve) => smtp.close(() => resolve()));
  const smtpPort = await listen(smtp.server, { host, port: config.smtpPort }, 'CATCHER_SMTP_PORT');
  let httpPort: number;
  try {
    httpPort = await listen(http, { host, port: config.httpPort }, 'CATCHER_HTTP_PORT');
  } catch (error) {
    await stopSmtp();
    throw error;
  }
  return {
    smtpUrl: `smtp://${host}:${smtpPort}`,
    mailboxUrl: `http://${host}:${httpPort}`,
    stop: async () => {
      const httpClosed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await Promise.all([stopSmtp(), httpClosed]);
      await store.close();
    },
  };
};

export const prepare = (): Preparation => {
  const { logLevel, ...config } = readConfig();
  const log = createLogger('catcher', logLevel);
  const start = async () => {
    const { stop, ...facts } = await boot(config);
    log.info(facts, 'catching mail');
    return { stop, facts };
  };
  return { log, start };
};
