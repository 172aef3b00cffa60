import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { webTools, workflowRequests } from '#contracts';
import { createLogger, createMetrics } from '#observability';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
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

  it('executes one heavy call of an organization at a time, and meanwhile its light ones and those of others', async () => {
    const open: { organizationId: string; end: () => void }[] = [];
    const fetch_web_page = async ({ url }: { url: string }, { organizationId }: Caller) => {
      await new Promise<void>((end) => open.push({ organizationId, end }));
      return { url, title: null, description: null, markdown: '', truncated: false };
    };
    const host = new ToolHost({
      factories: [() => implement(webTools, { fetch_web_page })],
      contexts: new CallContexts('campaign', { manager: {}, options: {} } as DataSource, () => undefined),
      log: createLogger('campaign', 'silent'),
      metrics: createMetrics('campaign', { processMetrics: false }),
      hashKey: Buffer.alloc(32),
      heavyMs: 0,
    });
    const call = (organizationId: string, padding = 20_000) => {
      const body = Buffer.from(JSON.stringify({ url: 'https://shop.internal/' }) + ' '.repeat(padding));
      return host.handle('tools', 'fetch_web_page', body, {
        organizationId,
        deadline: Infinity,
        callId: null,
      } as Caller);
    };
    const calls = [call('a'), call('a'), call('a'), call('a'), call('b'), call('a', 0)];
    await until('three calls are executed', () => open.length === 3);
    expect(open.map(({ organizationId }) => organizationId).sort()).toEqual(['a', 'a', 'b']);
    let ended = 0;
    await until('all calls end', () => {
      for (const { end } of open.slice(ended)) end();
      ended = open.length;
      return ended === calls.length;
    });
    expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
  });
});
