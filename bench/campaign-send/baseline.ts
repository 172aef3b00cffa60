import { generateKeyPairSync, sign } from 'node:crypto';
import { createTransport } from 'nodemailer';

/** What the parent asks for. */
export interface RawOrder {
  port: number;
  connections: number;
  count: number;
  /** The message, base64. */
  message: string;
  signed: boolean;
}

/** The raw limit: a pool of nodemailer's that sends one prebuilt message, with or without a signature made for each. */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** About what a DKIM signature covers of the header. */
const signedOctets = 1024;

const signature = (data: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    sign('sha256', data, privateKey, (error, made) => (error ? reject(error) : resolve(made)));
  });

async function send({ port, connections, count, message, signed }: RawOrder): Promise<void> {
  const pool = createTransport({
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    pool: true,
    maxConnections: connections,
    maxMessages: Infinity,
  });
  const raw = Buffer.from(message, 'base64');
  const envelope = { from: 'news@bench.internal', to: 'person@people.internal' };
  let left = count;
  // Two of each connection's messages are in hand, so that none waits for a signature.
  await Promise.all(
    Array.from({ length: connections * 2 }, async () => {
      while (left-- > 0) {
        if (signed) await signature(raw.subarray(0, signedOctets));
        await pool.sendMail({ envelope, raw });
      }
    }),
  );
  pool.close();
}

process.on('message', (order: RawOrder) => {
  void send(order).then(() => process.send!({ done: true }));
});
process.once('disconnect', () => process.exit(0));
