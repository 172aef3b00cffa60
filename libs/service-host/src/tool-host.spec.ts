import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { subscriberRecordTools, subscriberTools, workflowRequests } from '#contracts';
import { newId } from '#database';
import { createLogger, createMetrics } from '#observability';
import { implement } from '#tool-call';
import type { Caller, Outcome } from '#tool-call';
import { until } from '#testing';
import { CallContexts } from './call-context.js';
import { ToolHost } from './tool-host.js';

describe('the host of a service', () => {
  it('answers in the name of its service for a call that it does not serve', async () => {
    const host = new ToolHost({
      factories: [() => implement(workflowRequests, {} as never)],
      contexts: new CallContexts('workflow', { manager: {}, options: {} } as DataSource, () => undefined),
      log: createLogger('workflow', 'silent'),
      metrics: createMetrics('workflow', { processMetrics: false }),
      hashKey: Buffer.alloc(32),
    });
    const outcome = await host.handle('tools', 'no_such', Buffer.from('{}'), { deadline: Infinity } as Caller);
    expect(outcome).toMatchObject({
      error: { reason: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(/^The workflow service /) },
    });
  });

  it('describes a call without its call id, since a description may ask another service twice', async () => {
    const seen: (string | null)[] = [];
    const delete_subscriber = (_args: unknown, { callId }: Caller) => {
      seen.push(callId);
      return Promise.resolve({ action: 'Delete', message: 'It is deleted.' });
    };
    const manager = { query: () => Promise.resolve([]) };
    const host = new ToolHost({
      factories: [() => implement(subscriberRecordTools, { delete_subscriber } as never, { delete_subscriber })],
      contexts: new CallContexts('subscriber', { manager, options: {} } as unknown as DataSource, () => undefined),
      log: createLogger('subscriber', 'silent'),
      metrics: createMetrics('subscriber', { processMetrics: false }),
      hashKey: Buffer.alloc(32),
    });
    const body = Buffer.from(JSON.stringify({ email: 'ada@b.example' }));
    const caller = { organizationId: newId('org'), deadline: Infinity, callId: 'key:one', now: new Date() };
    const outcome = await host.handle('describe', 'delete_subscriber', body, caller as Caller);
    expect(outcome).toEqual({ ok: true, data: { action: 'Delete', message: 'It is deleted.' } });
    expect(seen).toEqual([null]);
  });

  /** A host whose calls stay open until they are ended, and calls of it. */
  function openCalls() {
    const open: { call: string; end: () => void }[] = [];
    const add_subscriber = async ({ name }: { name?: string | null }, { organizationId }: Caller) => {
      await new Promise<void>((end) => open.push({ call: `${organizationId} ${name}`, end }));
      return {} as never;
    };
    const host = new ToolHost({
      factories: [() => implement(subscriberTools, { add_subscriber } as never)],
      contexts: new CallContexts('subscriber', { manager: {}, options: {} } as DataSource, () => undefined),
      log: createLogger('subscriber', 'silent'),
      metrics: createMetrics('subscriber', { processMetrics: false }),
      hashKey: Buffer.alloc(32),
    });
    const call = (organizationId: string, name: string, values: number, value = 'x') => {
      const fields = Object.fromEntries(Array.from({ length: values }, (_, n) => [`field ${n}`, value]));
      const body = Buffer.from(JSON.stringify({ email: 'ada@b.example', name, fields }));
      const caller = { organizationId, deadline: Infinity, callId: null, now: new Date() };
      return host.handle('tools', 'add_subscriber', body, caller as Caller);
    };
    /** @returns how many were open at once after the first were ended */
    const endAll = async (calls: Promise<Outcome>[]): Promise<number> => {
      let [ended, atOnce] = [0, 0];
      await until('all calls end', () => {
        if (ended > 0) atOnce = Math.max(atOnce, open.length - ended);
        for (const { end } of open.slice(ended)) end();
        ended = open.length;
        return ended === calls.length;
      });
      expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
      return atOnce;
    };
    return { open, call, endAll };
  }

  it('executes one call of many values of an organization at a time, and meanwhile its small ones and those of others', async () => {
    const { open, call, endAll } = openCalls();
    const calls = [
      ...Array.from({ length: 4 }, () => call('a', 'many', 290)),
      ...Array.from({ length: 2 }, () => call('a', 'many', 5_000)),
      ...[call('a', 'few', 20), call('b', 'many', 290)],
    ];
    await until('calls are executed', () => open.length === 3);
    expect(open.map((one) => one.call).sort()).toEqual(['a few', 'a many', 'b many']);
    expect(await endAll(calls)).toBe(1);
  });

  it('rests after a call of many values for as long as it took, when other organizations call', async () => {
    const { open, call, endAll } = openCalls();
    const others = call('b', 'few', 1);
    const calls = [call('a', 'many', 290), call('a', 'many', 290)];
    await until('the first calls are executed', () => open.length === 2);
    const first = open.findIndex((one) => one.call === 'a many');
    const started = performance.now();
    await until('the call has taken a while', () => performance.now() - started > 60);
    const endedMs = performance.now();
    open[first]!.end();
    await until('the second call is executed', () => open.length === 3);
    // A timer may fire one millisecond early.
    expect(performance.now() - endedMs).toBeGreaterThanOrEqual(endedMs - started - 1);
    await endAll([others, ...calls]);
  });

  it('answers a call of many values before the rest that follows it', async () => {
    const { open, call, endAll } = openCalls();
    const others = call('b', 'few', 1);
    const first = call('a', 'many', 290);
    const second = call('a', 'many', 290);
    await until('the first calls are executed', () => open.length === 2);
    const started = performance.now();
    await until('the call has taken a while', () => performance.now() - started > 60);
    open.find((one) => one.call === 'a many')!.end();
    await first;
    expect(open).toHaveLength(2);
    await endAll([others, first, second]);
  });

  it('executes large calls of few values of an organization side by side', async () => {
    const { open, call, endAll } = openCalls();
    const calls = Array.from({ length: 3 }, () => call('a', 'large', 2, 'x'.repeat(9_000)));
    await until('calls are executed', () => open.length === 3);
    await endAll(calls);
  });
});
