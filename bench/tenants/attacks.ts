import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Tenant } from './tenant.js';

/** One way to take what others need. */
export interface Attack {
  name: string;
  /** Made once before the loop. */
  prepare?: (tenant: Tenant) => Promise<void>;
  /** Done by each of several clients, again and again. */
  once: (tenant: Tenant, n: number) => Promise<void>;
  /** After the loop. */
  end?: () => void;
}

const markdown =
  (content: string): Attack['once'] =>
  async (tenant, n) => {
    await tenant.call('create_campaign', {
      name: `m${n}`,
      subject: 'x',
      contentType: 'MARKDOWN',
      content: `${content}${n}`,
    });
  };
const repeated = (text: string, length: number) => text.repeat(length / text.length);
const fieldsOf = (count: number, prefix: string, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix} ${n}`, value]));

const largeImports = new Map<number, string>();
/** 4.6 MB of subscribers, made once. */
function largeImport(n: number): string {
  const known = largeImports.get(n);
  if (known !== undefined) return known;
  const rowOf = (row: number) => ({ email: `i${n}-${row}@example.com`, fields: { note: 'z'.repeat(9_900) } });
  const made = JSON.stringify({ subscribers: Array.from({ length: 460 }, (_, row) => rowOf(row)) });
  largeImports.set(n, made);
  return made;
}

/** A name server that never answers. @returns its address, as DNS_SERVERS takes it */
export async function silentNameServer(): Promise<{ address: string; close: () => void }> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

/** Connections that send a letter every two seconds and nothing else. */
function slowMailClients(port: number): Attack {
  const sockets = new Set<Socket>();
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, 2_000);
  timer.unref();
  return {
    name: 'mail clients that send a letter now and then',
    once: async (_tenant, n) => {
      if (sockets.size < 220) {
        const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 3)}` });
        sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    },
    end: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Two workflows of which each adds the tag that starts the other. */
async function pingPong(tenant: Tenant): Promise<void> {
  await tenant.call('get_or_create_tags', { names: ['ping', 'pong'] });
  for (const [from, to] of [
    ['ping', 'pong'],
    ['pong', 'ping'],
  ]) {
    const steps = [
      { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: [from] } },
      { id: 'off', type: 'ACTION', config: { kind: 'REMOVE_TAGS', tags: [from] } },
      { id: 'on', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: [to] } },
    ];
    const edges = [
      { from: 'start', to: 'off' },
      { from: 'off', to: 'on' },
    ];
    const { data } = await tenant.call('create_workflow', {
      name: `${from} ${to}`,
      graph: { steps, edges },
      settings: { reentry: 'ALWAYS' },
    });
    const { workflow } = (data ?? {}) as { workflow?: { id: string } };
    if (workflow) await tenant.confirmed('publish_workflow', { workflowId: workflow.id, activate: true });
  }
}

/** The cases that one organization was seen to hold up others with. @param smtpPort where mail is taken */
export const attacks = (smtpPort: number): Attack[] => [
  { name: 'Markdown: a table', once: markdown(`a|b|c|d\n-|-|-|-\n${repeated('1|2|3|4\n', 240_000)}`) },
  { name: 'Markdown: 5,000 elements', once: markdown(`${repeated('- a\n', 9_600)}\n\nx`) },
  { name: 'Markdown: line breaks', once: markdown(repeated('a  \n', 280_000)) },
  {
    name: 'custom fields',
    once: async (tenant, n) => {
      const email = `f${n % 50}@example.com`;
      await tenant.call('add_subscriber', { email, fields: fieldsOf(5_000, `n${n}`, 'x') });
      // As many as a call may name.
      await tenant.call('add_subscriber', { email, fields: fieldsOf(1_000, `n${n}`, 'x') });
      await tenant.call('add_subscriber', { email, fields: fieldsOf(290, 'kept', 'y'.repeat(200)) });
    },
  },
  {
    name: 'odd lengths',
    once: async (tenant) => {
      for (const tool of ['create_tag', 'create_segment', 'create_campaign'])
        await tenant.call(tool, { name: { length: { toString: 1 } }, subject: { length: { toString: 1 } } });
    },
  },
  slowMailClients(smtpPort),
  {
    name: 'exports',
    prepare: async (tenant) => {
      for (let from = 0; from < 5_000; from += 500) {
        const subscribers = Array.from({ length: 500 }, (_, n) => ({ email: `x${from + n}@example.com` }));
        await tenant.call('import_subscribers', { subscribers });
      }
    },
    once: async (tenant) => {
      await tenant.call('create_subscriber_export', {});
    },
  },
  {
    name: 'imports of 4.6 MB',
    once: async (tenant, n) => {
      await tenant.call('import_subscribers', largeImport(n % 4));
    },
  },
  {
    name: 'fetches of names without an answer',
    once: async (tenant, n) => {
      await tenant.call('fetch_web_page', { url: `http://slow${n}.example.org/` });
    },
  },
  {
    name: 'workflows that start each other',
    prepare: pingPong,
    once: async (tenant, n) => {
      await tenant.call('add_subscriber', { email: `w${n % 200}@example.com`, tags: ['ping'] });
    },
  },
  {
    name: 'large answers',
    once: async (tenant) => {
      await tenant.call('export_subscribers', { limit: 10_000 });
    },
  },
];
