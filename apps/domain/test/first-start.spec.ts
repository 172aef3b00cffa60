import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests } from '#contracts';
import type { Running } from '#observability';
import { readEnvironment } from '#service-host';
import { until } from '#testing';
import type { TestDatabase } from '#testing';
import { hashApiToken } from '#tool-call';
import { boot } from '../src/boot.js';
import { domainEnvironment } from '../src/config.js';
import { environmentFor, freshDatabase } from '../../../test/harness/service-plans.js';

describe('the first start', () => {
  const namespace = `t-${randomUUID().slice(0, 8)}`;
  let database: TestDatabase;
  let bus: Bus;
  let running: Running[] = [];
  const start = async (more: NodeJS.ProcessEnv = {}) => {
    const environment = { ...environmentFor(database.url), NATS_NAMESPACE: namespace, ...more };
    const service = await boot(readEnvironment(domainEnvironment, environment));
    running.push(service);
    const { apiToken, organizationId } = service.facts as { apiToken?: string; organizationId?: string };
    return { apiToken, organizationId };
  };
  const stopAll = async () => {
    await Promise.all(running.map((service) => service.stop()));
    running = [];
  };
  const caller = (organizationId = '') => serviceCaller(organizationId, 'spec');
  const authenticate = async (token: string) =>
    (await bus.client(domainRequests).authenticate_token({ tokenHash: hashApiToken(token) }, caller())).token;

  beforeAll(async () => {
    bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'spec' });
  });
  afterEach(async () => {
    await stopAll();
    await database.drop();
  });
  afterAll(() => bus.close());

  it('of two processes at once creates one organization and one token, printed once', async () => {
    database = await freshDatabase();
    const facts = await Promise.all([
      start({ ORGANIZATION_NAME: 'Lin’s shop' }),
      start({ ORGANIZATION_NAME: 'Lin’s shop' }),
    ]);
    const [told, ...more] = facts.filter(({ apiToken }) => apiToken !== undefined);
    expect(more).toEqual([]);
    expect(told!.apiToken).toMatch(/^tdg_[0-9A-Za-z]{40}$/);
    expect(await authenticate(told!.apiToken!)).toMatchObject({
      organizationId: told!.organizationId,
      scopes: ['read', 'write', 'send'],
    });
    const { organizations } = await bus.client(domainRequests).list_organizations({}, caller());
    expect(organizations).toMatchObject([{ id: told!.organizationId, name: 'Lin’s shop', number: 1 }]);
    const { sender } = await bus.client(domainRequests).get_sender({ senderId: null }, caller(told!.organizationId));
    expect(sender).toMatchObject({ displayName: 'Lin’s shop', email: 'hello@org1.tidings.internal' });
    await stopAll();
    expect(await start()).toEqual({});
  });

  it('takes a literal token of at least 32 characters, which later starts leave as it is', async () => {
    database = await freshDatabase();
    await expect(start({ BOOTSTRAP_TOKEN: 'x'.repeat(31) })).rejects.toThrow(
      'BOOTSTRAP_TOKEN: must have at least 32 characters',
    );
    await stopAll();
    const literal = 'my-own-secret-of-32-characters!!';
    expect((await start({ BOOTSTRAP_TOKEN: literal })).apiToken).toBe(literal);
    await stopAll();
    expect(await start({ BOOTSTRAP_TOKEN: 'another' })).toEqual({});
    expect(await authenticate(literal)).not.toBeNull();
    expect(await authenticate('another')).toBeNull();
  });

  it('is followed by a note of when the token was last used', async () => {
    database = await freshDatabase();
    const { apiToken, organizationId } = await start();
    await authenticate(apiToken!);
    await until('the use is noted', async () => {
      const { tokens } = await bus.client(domainRequests).list_tokens({ organizationId: organizationId! }, caller());
      return tokens[0]!.lastUsedAt !== null;
    });
  });
});
