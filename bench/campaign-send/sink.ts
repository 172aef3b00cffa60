import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Messages accepted since the parent requested a number of them. */
export interface Taken {
  /** Between the first and the last answer. */
  seconds: number;
  recipients: number;
  /** The last message, base64. */
  sample: string;
}

/** How often each recipient was sent to since then. */
export interface Tally {
  messages: number;
  recipients: number;
  /** Recipients that got more than one message. */
  twice: number;
}

/** A relay that takes everything at once and keeps nothing: the same for both sides, and cheap. PIPELINING as relays offer it. */
const greeting = '250-sink.internal\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 20000000\r\n';
const end = Buffer.from('\r\n.\r\n');
const answers: Record<string, string> = {
  EHLO: greeting,
  HELO: '250 sink.internal\r\n',
  DATA: '354 Go on\r\n',
  QUIT: '221 Bye\r\n',
};

let wanted = Infinity;
let taken = 0;
let firstAt = 0;
const recipients = new Map<string, number>();

function take(message: Buffer, to: string): void {
  recipients.set(to, (recipients.get(to) ?? 0) + 1);
  if (taken === 0) firstAt = performance.now();
  taken += 1;
  if (taken !== wanted) return;
  const seconds = (performance.now() - firstAt) / 1000;
  process.send!({ seconds, recipients: recipients.size, sample: message.toString('base64') } satisfies Taken);
}

/** One conversation: whole lines are commands, and after DATA everything up to the dot is a message. */
function converse(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  let inMessage = false;
  let to = '';
  const nextEnd = () => (inMessage ? rest.indexOf(end) : rest.indexOf('\r\n'));
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.write('220 sink.internal\r\n');
  socket.on('data', (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let reply = '';
    for (let at = nextEnd(); at >= 0; at = nextEnd()) {
      const part = rest.subarray(0, at);
      rest = rest.subarray(at + (inMessage ? end.length : 2));
      if (inMessage) {
        take(part, to);
        inMessage = false;
        reply += '250 2.0.0 Ok\r\n';
        continue;
      }
      const line = part.toString('latin1');
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'RCPT') to = line.slice(9, line.indexOf('>'));
      inMessage = verb === 'DATA';
      reply += answers[verb] ?? '250 2.0.0 Ok\r\n';
    }
    if (reply) socket.write(reply);
  });
}

const tally = (): Tally => ({
  messages: taken,
  recipients: recipients.size,
  twice: [...recipients.values()].filter((times) => times > 1).length,
});

process.on('message', (message: number | 'tally' | string[]) => {
  if (message === 'tally') return void process.send!(tally());
  if (Array.isArray(message)) return void process.send!({ known: message.filter((to) => recipients.has(to)).length });
  wanted = message;
  taken = 0;
  recipients.clear();
  process.send!({ ready: true });
});
process.once('disconnect', () => process.exit(0));
const server = createServer(converse).listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port });
});
