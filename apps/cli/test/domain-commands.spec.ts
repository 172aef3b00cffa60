import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { approvalRequests, domainRequests, domainTools } from '#contracts';
import { newId } from '#database';
import { startServices, cliFixture } from './cli-fixture.js';

describe('the operator’s commands for domains and senders', () => {
  let services: Awaited<ReturnType<typeof startServices>>;
  let type: ReturnType<typeof cliFixture>;
  let bus: Bus;
  beforeAll(async () => {
    services = await startServices(['domain']);
    const { NATS_URL: url, NATS_NAMESPACE: namespace } = services.config;
    type = cliFixture(services.config);
    bus = await connectBus({ url, namespace, name: 'spec' });
  });
  afterAll(async () => {
    await bus.close();
    await services.stop();
  });
  const organization = async (name: string) => (await type('org', 'create', name)).last;
  const tools = () => bus.client(domainTools);

  it('adds a web domain, prints its record, and ends with its id', async () => {
    const org = await organization('Ours');
    const added = await type('web-domain', 'add', 'Links.Acme.example', '--org', org);
    expect(added).toMatchObject({
      status: 0,
      said: [expect.stringContaining('links.acme.example CNAME localhost'), added.last],
    });
    const { webDomains } = await tools().list_web_domains({}, serviceCaller(org, 'spec'));
    expect(webDomains.map(({ id }) => id)).toEqual([added.last]);
    const other = await organization('Other');
    for (const [to, whose] of [
      [org, added.last],
      [other, 'another organization'],
    ] as const) {
      const again = await type('web-domain', 'add', 'links.acme.example', '--org', to);
      expect(again).toMatchObject({ status: 1, noted: [expect.stringContaining(whose)] });
    }
    expect(await type('web-domain', 'add', 'http://acme.example', '--org', org)).toMatchObject({ status: 1 });
    expect(await type('web-domain', 'add', 'new.acme.example', '--org', newId('org'))).toMatchObject({ status: 1 });
  });

  it('makes another sender the default', async () => {
    const org = await organization('Senders');
    const caller = () => serviceCaller(org, 'spec');
    const domainId = (await tools().list_domains({}, caller())).domains[0]!.id;
    const { sender } = await tools().create_email_sender({ displayName: 'Ada', localPart: 'ada', domainId }, caller());
    expect((await type('sender', 'default', sender.id)).last).toBe(`Ada <${sender.email}> is the default sender.`);
    const { senders } = await tools().get_email_senders({}, caller());
    expect(senders.map(({ localPart, isDefault }) => [localPart, isDefault])).toEqual([
      ['ada', true],
      ['hello', false],
    ]);
    expect((await bus.client(domainRequests).get_sender({ senderId: null }, caller())).sender!.id).toBe(sender.id);
    expect(await type('sender', 'default', newId('snd'))).toMatchObject({ status: 1 });
  });

  it('prints each pending approval on one line, with any names', async () => {
    const caller = () => serviceCaller(org, 'spec');
    const org = await organization('Watched');
    const { token } = await bus.client(domainRequests).create_token({ organizationId: org, name: 'agent' }, caller());
    const what = 'Deletes the tag "a\u001b[2K\u001b[1A\nb\u202ec\u2028d".';
    const actor = { kind: 'TOKEN' as const, id: token.id };
    const call = { actor, requestHash: 'x', callId: null, tool: 'delete_tag', parameters: { name: 'a' } };
    const asked = { ...call, action: 'Delete the tag', message: what };
    const { approval } = await bus.client(approvalRequests).ask_approval(asked, caller());
    const shown = 'Deletes the tag "a [2K [1A b c d".';
    expect((await type('approvals', 'list', '--org', org)).said.at(-2)).toContain(shown);
    expect((await type('approvals', 'reject', approval.id)).said[0]).toBe(`Delete the tag: ${shown}`);
  });

  it('prints the token that makes the first user, and a new one each time', async () => {
    const first = await type('members', 'setup');
    expect(first.last).toMatch(/^[\w-]{43}$/);
    expect((await type('members', 'setup')).last).not.toBe(first.last);
  });
});
