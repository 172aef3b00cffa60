import { describe, expect, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { until } from '#testing';
import { FakeDomainService, freshNamespace, fakeService, TestGateway } from './fake-services.js';

/** A call over a kept-alive connection; returns its status and its Connection header. */
const call = (url: string, token: string, agent: Agent): Promise<{ status: number; connection: string | undefined }> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sending = request(`${url}/api/v2/tools/list_tags`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode!, connection: response.headers.connection }));
    });
    sending.once('error', reject);
    sending.end('{}');
  });

const isTaken = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

describe('a gateway that stops', () => {
  it('finishes 50 open calls, keeps no connection open, and accepts no new one', async () => {
    const namespace = freshNamespace();
    const domain = new FakeDomainService();
    const token = domain.token('all');
    let waiting = 0;
    let release: (value: unknown) => void = () => undefined;
    const released = new Promise((resolve) => (release = resolve));
    let slow = false;
    const services = await fakeService(namespace, {
      ...domain.answers(),
      'tools.subscriber.list_tags': async () => {
        waiting += 1;
        if (slow) await released;
        return { tags: [], total: 0 };
      },
    });
    const gateway = await TestGateway.start(namespace);
    const agent = new Agent({ keepAlive: true, maxSockets: 60 });
    // Idle connections of earlier calls must not delay the end.
    const earlier = await Promise.all(Array.from({ length: 10 }, () => call(gateway.url, token, agent)));
    expect(earlier.map(({ connection }) => connection)).toEqual(Array(10).fill('keep-alive'));

    slow = true;
    waiting = 0;
    const calls = Promise.all(Array.from({ length: 50 }, () => call(gateway.url, token, agent)));
    await until('all calls are under way', () => waiting === 50);
    const stopping = gateway.stop();
    await until('no new connection is taken', async () => !(await isTaken(gateway.url)));
    // Calls are in progress: a readiness probe must fail, and a liveness probe must not end the process.
    const [live, ready] = await Promise.all(['healthz', 'readyz'].map((path) => fetch(`${gateway.healthUrl}/${path}`)));
    expect([live!.status, ready!.status]).toEqual([200, 503]);
    release({});
    expect(await calls).toEqual(Array(50).fill({ status: 200, connection: 'close' }));
    const left = Date.now();
    await stopping;
    expect(Date.now() - left).toBeLessThan(10_000);
    expect(await isTaken(gateway.healthUrl)).toBe(false);
    agent.destroy();
    await services.close();
  });

  it('is gone at once when it is idle', async () => {
    const gateway = await TestGateway.start(freshNamespace());
    await fetch(`${gateway.url}/healthz`);
    const started = Date.now();
    await gateway.stop();
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});
