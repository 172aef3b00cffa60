import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Envelope, MailStore } from './mail-store.js';

const MAIL_OCTETS_MAX = 25 * 1024 * 1024;
/** Milliseconds that stopping waits for connections in the middle of a mail. */
const CLOSE_TIMEOUT_MS = 2_000;

const envelopeOf = ({ envelope }: SMTPServerSession): Envelope => ({
  from: envelope.mailFrom ? envelope.mailFrom.address : '',
  to: envelope.rcptTo.map(({ address }) => address),
});

/** Reads a mail up to the size limit; the rest of an oversized one is read and dropped (the server replies 552). */
const readContent = async (stream: SMTPServerDataStream): Promise<Buffer | null> => {
  const content: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) content.length = 0;
    else content.push(chunk as Buffer);
  }
  return stream.sizeExceeded ? null : Buffer.concat(content);
};

/** SMTP server that accepts any mail from any client and replies 250 once it is stored. */
export const createSmtpListener = (store: MailStore): SMTPServer => {
  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const envelope = envelopeOf(session);
    const content = await readContent(stream);
    return content ? `stored as ${store.insert(envelope, content)}` : '';
  };
  const server = new SMTPServer({
    name: 'tidings-catcher',
    banner: 'Tidings mail catcher',
    size: MAIL_OCTETS_MAX,
    rejectOversized: true,
    authOptional: true,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? 'anybody' }),
    // A self-signed certificate would only cause errors in clients on this machine.
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onData: (stream, session, callback) => {
      receive(stream, session).then(
        (message) => callback(null, message),
        (cause: unknown) =>
          callback(Object.assign(new Error('Cannot store the mail', { cause }), { responseCode: 452 })),
      );
    },
  });
  // A client that hangs up in the middle of a mail ends only its own connection.
  server.on('error', () => undefined);
  return server;
};
