import { join } from 'node:path';
import type { AddressInfo, Server } from 'node:net';
import type { CatcherConfig } from './config.js';
import { MailStore } from './mailbox/mail-store.js';
import { createMailboxServer } from './mailbox/mailbox-server.js';
import { createSmtpListener } from './mailbox/smtp-listener.js';

const HOST = '127.0.0.1'; // anybody may send and read here: never beyond this machine

export interface Catcher {
  /** Where to send mail: `smtp://127.0.0.1:port`. */
  smtpUrl: string;
  /** Where `/mailbox` is served: `http://127.0.0.1:port`. */
  mailboxUrl: string;
  /** Ends after the mails under way are stored. */
  stop(): Promise<void>;
}

/** Listens, and gives the port; an error names the setting to change. */
const listen = (
  server: Pick<Server, 'listen' | 'once' | 'off' | 'address'>,
  port: number,
  setting: string,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${cause.message})`;
      reject(new Error(`Port ${port} of ${HOST} ${why}. Set ${setting} to another one, or to 0 for any.`, { cause }));
    };
    server.once('error', onError);
    server.listen(port, HOST, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * Starts the mail catcher: an SMTP server that keeps every mail, and the web page that shows them.
 * @throws Error when a port or the mailbox folder cannot be used, saying which and what to set
 */
export const boot = async (config: CatcherConfig): Promise<Catcher> => {
  const store = await MailStore.open(join(config.dataDir, 'mailbox'), config.mailsMax);
  const smtp = createSmtpListener(store);
  const http = createMailboxServer(store);
  const stopSmtp = (): Promise<void> => new Promise((resolve) => smtp.close(() => resolve()));
  const smtpPort = await listen(smtp.server, config.smtpPort, 'CATCHER_SMTP_PORT');
  let httpPort: number;
  try {
    httpPort = await listen(http, config.httpPort, 'CATCHER_HTTP_PORT');
  } catch (error) {
    await stopSmtp();
    throw error;
  }
  return {
    smtpUrl: `smtp://${HOST}:${smtpPort}`,
    mailboxUrl: `http://${HOST}:${httpPort}`,
    stop: async () => {
      const httpClosed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await Promise.all([stopSmtp(), httpClosed]);
      await store.close();
    },
  };
};
