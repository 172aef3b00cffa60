import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { domainRequests, messageRequests, subscriberLifeRequests } from '#contracts';
import { newId } from '#database';
import { SmtpSink, until } from '#testing';
import { markdown, SendFixture, template } from '../send-fixture.js';

jest.setTimeout(120_000);

describe('people who have not confirmed', () => {
  let world: SendFixture;
  let sink: SmtpSink;
  beforeAll(async () => {
    world = await SendFixture.start({}, 1);
    sink = await SmtpSink.start();
  });
  afterAll(async () => {
    await world.stop();
    await sink.stop();
  });

  it('story 15: are in no audience, and are skipped by name when they were in one before', async () => {
    const tenant = await world.organization();
    const { tidings: harness } = world;
    const nobody = harness.caller({ organizationId: '' });
    const add = async (name: string, change: object = {}) =>
      (
        await harness.data<{ subscriber: { id: string } }>(
          ...(['add_subscriber', { email: `${name}@real.internal`, ...change }, tenant] as const),
        )
      ).subscriber.id;
    await harness
      .client(domainRequests)
      .set_organization({ organizationId: tenant.organizationId, doubleOptIn: true }, nobody);
    await add('pending');
    const confirmed = await add('confirmed');
    await harness
      .client(subscriberLifeRequests)
      .confirm_subscription(
        { subscriberId: confirmed, linkMadeAt: new Date().toISOString(), ip: null, userAgent: null },
        harness.caller(tenant),
      );
    await add('doubtful', { skipDoubleOptIn: true });
    const audience = await world.audience(tenant, []);
    expect(audience).toMatchObject({ total: 2, excluded: { PENDING_CONFIRMATION: 1 } });
    await harness
      .dataSource('subscriber')
      .query(`update subscriber set status = 'PENDING_CONFIRMATION' where email = 'doubtful@real.internal'`);
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 1, skipped: { PENDING_CONFIRMATION: 1 } });
    expect(sink.messages.map(({ to }) => to)).toEqual(['confirmed@real.internal']);
  });

  it('get a workflow’s email with opens and clicks counted as the organization has it', async () => {
    const tenant = await world.organization();
    const { organizationId, sender } = tenant;
    const set = { organizationId, trackOpens: false, trackClicks: false };
    await world.tidings.client(domainRequests).set_organization(set, world.tidings.caller({ organizationId: '' }));
    const person = { email: 'flow@real.internal' };
    const { subscriber } = await world.tidings.data<{ subscriber: { id: string } }>('add_subscriber', person, tenant);
    const mail = { campaignId: newId('cmp'), campaignName: 'Welcome', organizationName: 'Garden Shop', replyTo: null };
    const messages = [{ sourceKey: 'run 1', subscriberId: subscriber.id, ...person }];
    const asked = { sendKey: randomUUID(), subject: 'Welcome', messages };
    await world.tidings
      .client(messageRequests)
      .queue_workflow_messages(
        { ...asked, mail: { ...mail, template: template(markdown), sender } },
        world.tidings.caller(tenant),
      );
    world.engine(sink.url);
    await until('the mail arrives', () => sink.messages.some(({ to }) => to === person.email));
    const { raw } = sink.messages.find(({ to }) => to === person.email)!;
    expect(raw).toContain('https://shop.internal/?id=3Dflow%40real.internal');
    expect(raw).not.toContain('<img');
  });
});
