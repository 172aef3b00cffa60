import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket as Connection } from 'node:net';

/** Records of a name. `fail` answers every query with an error, or with silence. */
export interface Entry {
  TXT?: string[][];
  MX?: [number, string][];
  CNAME?: string;
  A?: string;
  fail?: 'SERVFAIL' | 'REFUSED' | 'silence';
}

const typeCodes = { A: 1, CNAME: 5, MX: 15, TXT: 16 } as const;
const responseCodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const udpOctetsMax = 512;

/** A DNS server on loopback (RFC 1035) that answers from a zone tests change; `*.name` is a wildcard (RFC 4592). */
export class DnsServer {
  /** Entries by name in lower case. */
  readonly zone = new Map<string, Entry>();
  /** Queries in the order of arrival, as "TXT name over udp"; a repeat after a missing answer counts once. */
  readonly asked: string[] = [];
  readonly #heard = new Set<string>();

  readonly #connections = new Set<Connection>();

  private constructor(
    private readonly udp: Socket,
    private readonly tcp: Server,
    /** In the form of DNS_SERVERS. */
    readonly address: string,
  ) {}

  /** Starts on one port for both transports; if the port is taken for UDP, it tries another. */
  static async start(): Promise<DnsServer> {
    for (;;) {
      const tcp = createServer();
      await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
      const { port } = tcp.address() as AddressInfo;
      const udp = createSocket('udp4');
      const bound = await new Promise<boolean>((resolve) => {
        udp.once('error', () => resolve(false)).bind(port, '127.0.0.1', () => resolve(true));
      });
      if (bound) return new DnsServer(udp, tcp, `127.0.0.1:${port}`).#listen();
      tcp.close();
      udp.close();
    }
  }

  #listen(): this {
    this.udp.on('message', (query, { port, address }) => {
      const reply = this.#answer(query, 'udp');
      if (reply) this.udp.send(reply.length > udpOctetsMax ? truncated(reply) : reply, port, address);
    });
    this.tcp.on('connection', (socket) => {
      this.#connections.add(socket.on('close', () => this.#connections.delete(socket)));
      let held = Buffer.alloc(0);
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk: Buffer) => {
        held = Buffer.concat([held, chunk]);
        while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
          const end = 2 + held.readUInt16BE(0);
          const reply = this.#answer(held.subarray(2, end), 'tcp');
          held = held.subarray(end);
          if (reply) socket.write(Buffer.concat([octets16(reply.length), reply]));
        }
      });
    });
    return this;
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    await Promise.all([
      new Promise<void>((resolve) => this.udp.close(() => resolve())),
      new Promise<void>((resolve) => this.tcp.close(() => resolve())),
    ]);
  }

  /** The entry of a name, its own or that of the nearest wildcard above it. */
  #entryOf(name: string): Entry | undefined {
    const own = this.zone.get(name);
    if (own) return own;
    const labels = name.split('.');
    for (let cut = 1; cut < labels.length; cut++) {
      const above = labels.slice(cut).join('.');
      const wildcard = this.zone.get(`*.${above}`);
      if (wildcard) return wildcard;
      if (this.#exists(above)) return undefined;
    }
    return undefined;
  }

  /** Whether a name has an entry, or lies above one that has. */
  #exists(name: string): boolean {
    return [...this.zone.keys()].some((known) => known === name || known.endsWith(`.${name}`));
  }

  #answer(query: Buffer, transport: string): Buffer | null {
    const { name, type, end } = questionOf(query);
    const question = `${Object.entries(typeCodes).find(([, code]) => code === type)?.[0] ?? type} ${name} over ${transport}`;
    const heard = `${query.readUInt16BE(0)} ${question}`;
    if (!this.#heard.has(heard)) this.asked.push(question);
    this.#heard.add(heard);
    const entry = this.#entryOf(name);
    if (entry?.fail === 'silence') return null;
    const answers = entry ? recordsOf(name, type, entry) : [];
    const code = entry?.fail ?? (entry || this.#exists(name) ? 'NOERROR' : 'NXDOMAIN');
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8580 | responseCodes[code], 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, query.subarray(12, end), ...answers]);
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A name with a CNAME has nothing else; the client follows it. */
function recordsOf(name: string, type: number, { TXT = [], MX = [], CNAME, A }: Entry): Buffer[] {
  if (CNAME !== undefined) return [recordOf(name, typeCodes.CNAME, encodedName(CNAME))];
  if (type === typeCodes.A && A) return [recordOf(name, type, Buffer.from(A.split('.').map(Number)))];
  if (type === typeCodes.TXT) {
    return TXT.map((strings) =>
      recordOf(
        name,
        type,
        Buffer.concat(strings.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text, 'latin1')])),
      ),
    );
  }
  if (type === typeCodes.MX) {
    return MX.map(([preference, host]) =>
      recordOf(name, type, Buffer.concat([octets16(preference), encodedName(host)])),
    );
  }
  return [];
}

const octets16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);

const encodedName = (name: string) =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.from([0]),
  ]);

const recordOf = (name: string, type: number, data: Buffer) =>
  Buffer.concat([encodedName(name), octets16(type), octets16(1), Buffer.alloc(4), octets16(data.length), data]);

/** A reply too long for UDP: its header says so, and the records are left out. */
function truncated(reply: Buffer): Buffer {
  const { end } = questionOf(reply);
  const short = Buffer.from(reply.subarray(0, end));
  short[2]! |= 0x02;
  short.writeUInt16BE(0, 6);
  return short;
}
