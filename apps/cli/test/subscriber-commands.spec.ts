import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, subscriberTools } from '#contracts';
import { uuidOf } from '#database';
import { DataSource } from 'typeorm';
import { startServices } from '../../../test/harness/started-services.js';
import { cliFixture } from './cli-fixture.js';

describe('the operator, about one subscriber', () => {
  let services: Awaited<ReturnType<typeof startServices>>;
  let type: ReturnType<typeof cliFixture>;
  let bus: Bus;
  let org: string;
  beforeAll(async () => {
    services = await startServices(['domain', 'subscriber']);
    type = cliFixture(services.config);
    const { NATS_URL: url, NATS_NAMESPACE: namespace } = services.config;
    bus = await connectBus({ url, namespace, name: 'spec' });
    org = await organization('Bans');
  });
  afterAll(async () => {
    await bus.close();
    await services.stop();
  });

  const organization = async (name: string) =>
    (await bus.client(domainRequests).create_organization({ name }, serviceCaller('', 'spec'))).organization.id;
  const add = (email: string) => bus.client(subscriberTools).add_subscriber({ email }, serviceCaller(org, 'spec'));

  it('reviews suppressions: lists them without a change, gives the status back with --apply, of all or one', async () => {
    const other = await organization('Others');
    const { subscriber } = (await add('soft@example.com')) as { subscriber: { id: string } };
    const source = await new DataSource({ type: 'postgres', url: services.databaseUrl }).initialize();
    const id = uuidOf('sub', subscriber.id);
    await source.query(`set search_path to subscriber`);
    await source.query(`update subscriber set status = 'BOUNCED' where subscriber_id = $1`, [id]);
    await source.query(
      `insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, data)
       select now(), organization_id, gen_random_uuid(), subscriber_id, 'EMAIL_BOUNCED',
         '{"bounceType": "SOFT", "bounceCategory": "POLICY", "status": "5.7.1", "reason": "554 5.7.1 no"}'
       from subscriber, generate_series(1, 5) where subscriber_id = $1`,
      [id],
    );
    await source.destroy();
    const row = expect.stringMatching(new RegExp(`^${org} +${subscriber.id} +soft@example.com +SUBSCRIBED +POLICY 5$`));
    const listed = await type('suppressions', 'review');
    expect(listed).toMatchObject({ status: 0, last: expect.stringContaining('Nothing was changed') });
    expect(listed.said).toEqual([
      expect.stringMatching(/^ORGANIZATION/),
      row,
      '1 to restore; kept suppressed: none.',
      listed.last,
    ]);
    const others = await type('suppressions', 'review', '--org', other, '--apply');
    expect(others.said).toEqual(['0 restored; kept suppressed: none.']);
    const applied = await type('suppressions', 'review', '--apply');
    expect(applied.said.slice(1)).toEqual([row, '1 restored; kept suppressed: none.']);
    expect(await add('soft@example.com')).toMatchObject({ subscriber: { status: 'SUBSCRIBED' } });
    expect((await type('suppressions', 'review')).last).toBe('0 to restore; kept suppressed: none.');
  });
});
