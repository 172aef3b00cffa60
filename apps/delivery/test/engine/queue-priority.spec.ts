import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { messageRequests } from '#contracts';
import { newId } from '#database';
import { until } from '#testing';
import { people, SendFixture, template } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

jest.setTimeout(120_000);

describe('the lanes of messages', () => {
  const world = SendFixture.ofSuite({}, 1);
  type Sink = Awaited<ReturnType<typeof world.relay>>;

  /** Queues a workflow's email to `count` recipients of `domain`. */
  const queueWorkflow = async (tenant: Sending, count: number, domain: string) => {
    const subscribers: { email: string; id: string }[] = [];
    for (const { email } of people(count, domain)) {
      const { subscriber } = await world.tidings.data<{ subscriber: { id: string } }>(
        'add_subscriber',
        { email },
        tenant,
      );
      subscribers.push({ email, id: subscriber.id });
    }
    const mail = {
      campaignId: newId('cmp'),
      campaignName: 'Welcome',
      template: template('Hello'),
      replyTo: null,
      sender: tenant.sender,
      organizationName: 'Garden Shop',
    };
    const messages = subscribers.map(({ email, id }) => ({ sourceKey: randomUUID(), subscriberId: id, email }));
    await world.tidings
      .client(messageRequests)
      .queue_workflow_messages(
        { sendKey: randomUUID(), subject: 'Welcome', messages, mail },
        world.tidings.caller({ organizationId: tenant.organizationId }),
      );
  };
  const sendEmail = (tenant: Sending, to: string) =>
    world.tidings.data(
      'send_email',
      { from: `Garden Shop <orders@${tenant.sender.domain}>`, to, subject: 'Your receipt', html: '<p>Hello</p>' },
      tenant,
    );
  const campaignTo = async (tenant: Sending, count: number, domain: string) =>
    await world.send(tenant, await world.audience(tenant, people(count, domain)));
  const has = (sink: Sink, domain: string) => [...sink.counts.keys()].filter((to) => to.endsWith(`@${domain}`)).length;
  const arrived = (sink: Sink, domain: string) => until(`${domain} has mail`, () => has(sink, domain) > 0, 60_000, 10);

  it('are served in their order where the relay has a pace: single emails, then workflows, then campaigns', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    await queueWorkflow(tenant, 26, 'flow.internal');
    const campaign = await campaignTo(tenant, 300, 'campaign.internal');
    world.engine(sink.url, { SMTP_RATE: '5' });
    await until('workflows are under way', () => has(sink, 'flow.internal') > 3, 60_000);
    for (let n = 0; n < 5; n++) {
      await sendEmail(tenant, `ada${n}@single${n}.internal`);
      // Counted in what goes before it, not in time: a slow machine slows everything.
      const before = sink.accepted;
      await arrived(sink, `single${n}.internal`);
      expect(sink.accepted - before).toBeLessThan(20);
    }
    await until('the workflow is through', () => has(sink, 'flow.internal') === 26, 60_000);
    const ahead = has(sink, 'campaign.internal');
    expect(ahead).toBeLessThan(20);
    await until('the campaign goes on', () => has(sink, 'campaign.internal') > ahead + 5, 60_000);
    await world.setState(campaign, 'STOPPED');
    await world.finished(campaign);
  });

  it('leave connections to those before them while a slow relay has all of them busy', async () => {
    let goOn = () => {};
    const through = new Promise<void>((resolve) => (goOn = resolve));
    const sink = await world.relay({
      behave: (to) => (to.endsWith('@flow.internal') ? { do: 'wait', until: through } : { do: 'accept' }),
    });
    const tenant = await world.organization();
    await queueWorkflow(tenant, 60, 'flow.internal');
    world.engine(sink.url, { SMTP_CONNECTIONS: '10' });
    await until('workflows are under way', () => has(sink, 'flow.internal') > 8, 60_000);
    await sendEmail(tenant, 'ada@single.internal');
    await arrived(sink, 'single.internal');
    goOn();
  });

  it.each([
    ['workflows', (tenant: Sending, count: number, domain: string) => queueWorkflow(tenant, count, domain)],
    [
      'single emails',
      async (tenant: Sending, count: number, domain: string) => {
        for (const { email } of people(count, domain)) await sendEmail(tenant, email);
      },
    ],
  ])('let no tenant wait behind a larger one: %s', async (_name, queue) => {
    const sink = await world.relay();
    const [large, small] = [await world.organization(), await world.organization()];
    await queue(large, 200, 'large.internal');
    world.engine(sink.url, { SMTP_RATE: '10' });
    await until('the large one is under way', () => has(sink, 'large.internal') > 5, 60_000);
    await queue(small, 3, 'small.internal');
    await until('the small one is through', () => has(sink, 'small.internal') === 3, 60_000, 10);
    expect(has(sink, 'large.internal')).toBeLessThan(100);
  });
});
