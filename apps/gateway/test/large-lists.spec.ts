import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BusServer } from '#bus';
import { newId } from '#database';
import { FakeDomainService, freshNamespace, fakeService, TestGateway } from './fake-services.js';

describe('a request with tens of thousands of ids', () => {
  const namespace = freshNamespace();
  const domain = new FakeDomainService();
  const token = domain.token('all');
  let services: BusServer;
  let gateway: TestGateway;
  let reached = 0;
  beforeAll(async () => {
    const count = () => {
      reached += 1;
      return {};
    };
    services = await fakeService(namespace, {
      ...domain.answers(),
      'tools.subscriber.bulk_add_tags': count,
      'tools.subscriber.create_subscriber_export': count,
    });
    gateway = await TestGateway.start(namespace);
  });
  afterAll(async () => {
    await gateway.stop();
    await services.close();
  });

  it('story 24: is answered 413 in the envelope with the limit, and a filter does the same in a few bytes', async () => {
    const subscriberIds = Array.from({ length: 40_000 }, () => newId('sub'));
    const answer = await gateway.call(token, 'bulk_add_tags', { subscriberIds, tagNames: ['vip'] });
    expect(answer).toMatchObject({
      status: 413,
      body: {
        success: false,
        code: 'PAYLOAD_TOO_LARGE',
        reason: 'BODY_TOO_LARGE',
        error: expect.stringContaining('1 MB'),
      },
    });
    const fewer = await gateway.call(token, 'bulk_add_tags', {
      subscriberIds: subscriberIds.slice(0, 101),
      tagNames: ['vip'],
    });
    expect(fewer).toMatchObject({ status: 400, body: { issues: [{ path: ['subscriberIds'] }] } });
    expect(reached).toBe(0);
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    expect((await gateway.call(token, 'create_subscriber_export', { filters })).status).toBe(200);
    expect(reached).toBe(1);
  });
});
