import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { expressions } from '../harness/alert-rules.js';
import { metricsOf } from '../harness/promql.js';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';
import { TraceCollector } from './trace-collector.js';
import type { CollectedSpan } from './trace-collector.js';

jest.setTimeout(240_000);

/** Personal data that must not appear in logs or traces. */
const person = { email: 'zerlina.masetto@people.internal', name: 'Zerlina Masetto' };
const refused = 'leporello.refused@people.internal';

describe('what an operator sees', () => {
  let sink: SmtpSink;
  let collector: TraceCollector;
  let system: TestSystem;
  let client: ToolsClient;
  let from: string;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    // Session trouble, in words that name the recipient: what puts the relay into trouble and into the log.
    sink.behave = (to) =>
      to === refused ? { do: 'refuse', at: 'RCPT', reply: `421 4.7.0 No more for <${to}>` } : { do: 'accept' };
    collector = await TraceCollector.start();
    system = await startSystem({
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    client = new ToolsClient(system.url(), system.apiToken);
    from = (await client.data<{ senders: { email: string }[] }>('get_email_senders', {})).senders[0]!.email;
  }, 240_000);
  afterAll(async () => {
    await system.stop();
    await collector.stop();
    await sink.stop();
  });

  const call = async (tool: string, body: object, requestId: string): Promise<void> => {
    const answer = await client.call(tool, body, { 'x-request-id': requestId });
    expect(answer.body).toMatchObject({ success: true });
  };
  /** Asks for an email, and confirms it under the request id. */
  const send = async (email: { to: string; subject: string }, requestId: string): Promise<void> => {
    const body = { from, html: '<p>Hello</p>', ...email };
    const { confirmationCode } = (await client.call('send_email', body)).body;
    await call('send_email', { ...body, confirmationCode }, requestId);
  };
  const traced = async (requestId: string, wanted: (span: CollectedSpan) => boolean): Promise<CollectedSpan[]> => {
    // Each process exports its spans in its own time.
    await until(`the trace of ${requestId} is whole`, () => {
      const spans = collector.ofRequest(requestId);
      const ids = new Set(spans.map(({ spanId }) => spanId));
      return spans.some(wanted) && spans.every(({ parentSpanId }) => !parentSpanId || ids.has(parentSpanId));
    });
    return collector.ofRequest(requestId);
  };
  /** The names of a span and of all that it was done for, the outermost last. */
  const lineOf = (span: CollectedSpan, spans: CollectedSpan[]): string[] => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return [`${span.service}: ${span.name}`, ...(parent ? lineOf(parent, spans) : [])];
  };

  it('one trace leads from HTTP over NATS to SQL, and on with the events', async () => {
    await call('add_subscriber', { ...person, tags: ['opera'] }, 'call-add');
    const spans = await traced('call-add', ({ name }) => name === 'insert outbox');
    const sql = spans.find(({ name }) => name === 'insert outbox')!;
    expect(lineOf(sql, spans)).toEqual([
      'tidings-subscriber: insert outbox',
      'tidings-subscriber: tools add_subscriber',
      'tidings-gateway: ask subscriber add_subscriber',
      'tidings-gateway: POST add_subscriber',
    ]);
    expect(sql.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
    const applied = await traced('call-add', ({ name }) => name.startsWith('apply '));
    const consumer = applied.find(({ name }) => name.startsWith('apply '))!;
    expect(lineOf(consumer, applied).at(-1)).toBe('tidings-gateway: POST add_subscriber');
  });

  it('a traceparent from outside is linked and not continued, since its sender is no proxy of the installation', async () => {
    const outside = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const headers = { 'x-request-id': 'call-outside', traceparent: `00-${outside.traceId}-${outside.spanId}-01` };
    await client.call('list_tags', {}, headers);
    const spans = await traced('call-outside', ({ name }) => name === 'POST list_tags');
    const root = spans.find(({ name }) => name === 'POST list_tags')!;
    expect(root.parentSpanId || null).toBeNull();
    expect(root.links).toEqual([expect.objectContaining(outside)]);
    expect(root.traceId).not.toBe(outside.traceId);
  });

  it('one trace leads from an email that is asked for to the relay that takes it', async () => {
    await send({ to: person.email, subject: 'Là ci darem' }, 'call-send');
    const spans = await traced('call-send', ({ name }) => name === 'SMTP hand over');
    const smtp = spans.find(({ name }) => name === 'SMTP hand over')!;
    expect(smtp.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'smtp.reply.code': 250 });
    expect(lineOf(smtp, spans)).toEqual([
      'tidings-delivery: SMTP hand over',
      'tidings-delivery: tools send_email',
      'tidings-gateway: ask delivery send_email',
      'tidings-gateway: POST send_email',
    ]);
  });

  it('every metric that rules and dashboard ask for is served, and every one that is served is watched', async () => {
    const texts = await Promise.all(
      system.processes.map(async ({ facts }) => {
        return await (await fetch(`http://127.0.0.1:${facts.healthPort as number}/metrics`)).text();
      }),
    );
    const served = new Set<string>();
    for (const [, name, type] of texts.join('\n').matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      served.add(name!);
      if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) served.add(`${name}_${part}`);
    }
    const asked = new Set(expressions.flatMap(metricsOf).map(({ name }) => name));
    expect([...asked].filter((name) => !served.has(name))).toEqual([]);
    const watched = (name: string) => [name, `${name}_bucket`, `${name}_count`].some((one) => asked.has(one));
    const tenant = [...served].filter((name) => name.startsWith('tidings_') && !/_(?:bucket|sum|count)$/.test(name));
    expect(tenant.filter((name) => !watched(name))).toEqual([]);
    // No label grows with what organizations do.
    expect(texts.join('\n')).not.toMatch(/people\.internal|org_\w{20}|tidings\.internal/);
  });

  it('neither logs at info nor traces hold addresses or secrets, also of what fails', async () => {
    await client.call('send_email', { from: 'not an address', to: person.email, subject: 'x', html: 'x' });
    const wrongToken = `tdg_${'0'.repeat(40)}`;
    await new ToolsClient(system.url(), wrongToken).call('list_tags', {});
    for (let n = 0; n < 3; n++) await send({ to: refused, subject: `Madamina ${n}` }, `call-refused-${n}`);
    const lines = () => system.processes.flatMap((one) => one.lines);
    await until('the log tells of the relay', () => lines().some((line) => line.includes('relay unavailable')));
    const log = lines().join('\n');
    expect(log).toContain('421 4.7.0 No more for <[address]>');
    const secrets = [system.apiToken, wrongToken, process.env.MASTER_KEY!];
    const hidden = [...secrets, person.email, person.name, refused, from];
    for (const text of [log, collector.raw]) {
      expect(hidden.filter((one) => text.includes(one))).toEqual([]);
      expect(/[\w.]+@[\w.]+\.\w+/.exec(text)?.[0]).toBeUndefined();
    }
    for (const line of lines().filter((one) => one.startsWith('{'))) expect(JSON.parse(line)).toHaveProperty('service');
  });
});
