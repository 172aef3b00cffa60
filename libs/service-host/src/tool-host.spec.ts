import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { workflowRequests } from '#contracts';
import { createLogger, createMetrics } from '#observability';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import { CallContexts } from './call-context.js';
import { ToolHost } from './tool-host.js';

describe('the host of a service', () => {
  it('answers in the name of its service for a call that it does not serve', async () => {
    const host = new ToolHost({
      factories: [() => implement(workflowRequests, {} as never)],
      contexts: new CallContexts('workflow', { manager: {} } as DataSource, () => undefined),
      log: createLogger('workflow', 'silent'),
      metrics: createMetrics('workflow', { processMetrics: false }),
      hashKey: Buffer.alloc(32),
    });
    const outcome = await host.handle('tools', 'no_such', Buffer.from('{}'), { deadline: Infinity } as Caller);
    expect(outcome).toMatchObject({
      error: { reason: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(/^The workflow service /) },
    });
  });
});
