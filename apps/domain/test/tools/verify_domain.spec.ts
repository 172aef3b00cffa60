import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { openFixture, recordOf, statusLine } from '../domain-fixture.js';
import type { Domain } from '../domain-fixture.js';

describe('verify_domain', () => {
  const spec = openFixture();
  const without = (domain: Domain) => {
    for (const { name } of domain.records) spec.desk.dns.zone.delete(name);
  };

  it('follows a zone from empty to verified, record by record, and says each time what to change', async () => {
    const made = await spec.desk.create('step-by-step.of.acme.example', spec.ours);
    const lines: string[] = [];
    const step = async (what: string) => {
      const domain = await spec.desk.verify(made, spec.ours);
      lines.push(`${what.padEnd(34)} ${statusLine(domain)}`);
      return domain;
    };
    const put = (...purposes: ('VERIFICATION' | 'DKIM' | 'MAIL_FROM_MX' | 'MAIL_FROM_SPF' | 'DMARC')[]) =>
      spec.desk.publish(purposes.map((purpose) => recordOf(made, purpose)));
    const spfName = recordOf(made, 'MAIL_FROM_SPF').name;

    const empty = await step('an empty zone');
    expect([empty.status, ...empty.records.map(({ status }) => status)]).toEqual(Array(6).fill('PENDING'));
    put('VERIFICATION');
    expect((await step('verification added')).status).toBe('PENDING');
    const dkimName = recordOf(made, 'DKIM').name;
    spec.desk.dns.zone.set(dkimName, { TXT: [[recordOf(made, 'DKIM').value.slice(0, 255)]] });
    const cut = await step('DKIM cut off');
    expect([cut.status, cut.dkim]).toEqual(['FAILED', 'FAILED']);
    expect(recordOf(cut, 'DKIM')).toMatchObject({
      advice: expect.stringContaining('cut off'),
      found: [expect.any(String)],
    });
    spec.desk.dns.zone.delete(dkimName);
    expect(await step('DKIM removed')).toMatchObject({ status: 'PENDING', dkim: 'PENDING' });
    put('DKIM');
    expect(await step('DKIM added in two strings')).toMatchObject({
      status: 'VERIFIED',
      dkim: 'VERIFIED',
      mailFrom: 'PENDING',
    });
    put('MAIL_FROM_MX');
    expect((await step('MAIL FROM MX added')).mailFrom).toBe('PENDING');
    spec.desk.publish([{ type: 'TXT', name: spfName, value: 'v=spf1 include:other.example ~all' }]);
    expect(recordOf(await step('another SPF record'), 'MAIL_FROM_SPF').advice).toContain('lacks "mx"');
    put('MAIL_FROM_SPF');
    expect(recordOf(await step('two SPF records'), 'MAIL_FROM_SPF').advice).toContain('2 SPF records');
    spec.desk.dns.zone.get(spfName)!.TXT!.shift();
    expect((await step('one SPF record')).mailFrom).toBe('VERIFIED');
    put('DMARC');
    const whole = await step('DMARC added');
    expect(whole.records.map(({ status, advice }) => [status, advice])).toEqual(Array(5).fill(['VERIFIED', null]));
    process.stdout.write(`${lines.join('\n')}\n`);
  });

  it('reads records that hold what no database can', async () => {
    const made = await spec.desk.create('nul.of.acme.example', spec.ours);
    spec.desk.dns.zone.set(recordOf(made, 'DMARC').name, { TXT: [['v=DMARC1; p=no\0ne']] });
    const { found } = recordOf(await spec.desk.verify(made, spec.ours), 'DMARC');
    expect(found).toEqual(['v=DMARC1; p=no\ufffdne']);
  });

  it('notifies the services that cache a domain only when its status changes', async () => {
    const heard: unknown[] = [];
    spec.desk.harness.bus.onBroadcast('sending-domain.changed', (message) => void heard.push(message));
    const made = await spec.desk.create('told.example', spec.ours);
    await spec.desk.verify(made, spec.ours);
    expect(heard).toEqual([]);
    spec.desk.publish(made.records);
    for (let again = 0; again < 2; again++) await spec.desk.verify(made, spec.ours);
    expect(heard).toEqual([{ organizationId: spec.ours.organizationId, domain: 'told.example' }]);
  });

  it('queries over TCP if the answer is too long for UDP', () => {
    expect(spec.desk.dns.asked).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^TXT td\w+\._domainkey\.step-by-step\.of\.acme\.example over tcp$/),
      ]),
    );
  });

  it('follows a CNAME to the record, also if the server leaves that to the client', async () => {
    const made = await spec.desk.create('alias.example', spec.ours);
    spec.desk.publish(made.records);
    const { name } = recordOf(made, 'DKIM');
    spec.desk.dns.zone.set('key.hosted.example', spec.desk.dns.zone.get(name)!);
    spec.desk.dns.zone.set(name, { CNAME: 'middle.hosted.example' });
    spec.desk.dns.zone.set('middle.hosted.example', { CNAME: 'key.hosted.example' });
    expect(await spec.desk.verify(made, spec.ours)).toMatchObject({ status: 'VERIFIED', dkim: 'VERIFIED' });
    spec.desk.dns.zone.set('key.hosted.example', { CNAME: name });
    expect((await spec.desk.verify(made, spec.ours)).dkim).toBe('FAILED');
  });

  it('takes the answer of a wildcard for no answer, and a record beside it for one', async () => {
    const made = await spec.desk.create('wild.example', spec.ours);
    spec.desk.dns.zone.set('*.wild.example', { TXT: [['v=spf1 -all']], MX: [[5, 'mx.elsewhere.example']] });
    const wild = await spec.desk.verify(made, spec.ours);
    expect(wild.records.map(({ status }) => status)).toEqual(Array(5).fill('PENDING'));
    expect(recordOf(wild, 'VERIFICATION')).toMatchObject({
      found: ['v=spf1 -all'],
      advice: expect.stringContaining('wildcard'),
    });
    spec.desk.publish(made.records);
    expect(statusLine(await spec.desk.verify(made, spec.ours))).not.toMatch(/PENDING|FAILED/);
  });

  it('finds a record whose name the provider made twice as long', async () => {
    const made = await spec.desk.create('double.example', spec.ours);
    const { type, name, value } = recordOf(made, 'VERIFICATION');
    spec.desk.publish([{ type, name: `${name}.double.example`, value }]);
    expect(recordOf(await spec.desk.verify(made, spec.ours), 'VERIFICATION')).toMatchObject({
      status: 'PENDING',
      advice: expect.stringMatching(/stands at _tidings\.double\.example\.double\.example.*Enter only _tidings\.$/),
    });
  });

  it('counts a DMARC record of a parent name', async () => {
    const made = await spec.desk.create('a.b.policy.example', spec.ours);
    spec.desk.publish([{ type: 'TXT', name: '_dmarc.policy.example', value: 'v=DMARC1; p=reject' }]);
    expect(recordOf(await spec.desk.verify(made, spec.ours), 'DMARC')).toMatchObject({
      status: 'VERIFIED',
      found: ['v=DMARC1; p=reject'],
    });
  });

  it.each(['SERVFAIL', 'REFUSED'] as const)('changes nothing when DNS answers %s, and says so', async (fail) => {
    const made = await spec.desk.verified(`${fail.toLowerCase()}.example`, spec.ours);
    for (const { name } of made.records) spec.desk.dns.zone.set(name, { fail });
    const after = await spec.desk.verify(made, spec.ours);
    expect(after).toMatchObject({ status: 'VERIFIED', dkim: 'VERIFIED', mailFrom: 'VERIFIED', failingSince: null });
    for (const { found, advice } of after.records) {
      expect(found).toHaveLength(1);
      expect(advice).toContain(fail);
    }
  });

  it('keeps a VERIFIED domain without its records for 72 hours, then returns FAILED until they return', async () => {
    const made = await spec.desk.verified('gone.example', spec.ours);
    without(made);
    const answer = () =>
      spec.desk.harness.data<{ domain: Domain; warnings: string[] }>('verify_domain', { domainId: made.id }, spec.ours);
    const missing = await answer();
    expect(missing.domain).toMatchObject({ status: 'VERIFIED', dkim: 'FAILED', mailFrom: 'FAILED' });
    expect(missing.warnings).toEqual([expect.stringMatching(/lacks required records since .* FAILED at /)]);
    await spec.desk.age('sending_domain', 71);
    expect((await answer()).domain.status).toBe('VERIFIED');
    await spec.desk.age('sending_domain', 1);
    const failed = await answer();
    expect(failed.domain.status).toBe('FAILED');
    expect(failed.warnings).toEqual([expect.stringContaining('is FAILED')]);
    spec.desk.publish(made.records);
    expect(await answer()).toMatchObject({ domain: { status: 'VERIFIED', failingSince: null }, warnings: [] });
  });

  it('routes bounces to the domain once MAIL FROM is VERIFIED, and before that to the installation', async () => {
    const made = await spec.desk.create('bounces.example', spec.ours);
    spec.desk.publish([recordOf(made, 'VERIFICATION'), recordOf(made, 'DKIM')]);
    await spec.desk.verify(made, spec.ours);
    const input = { displayName: 'X', localPart: 'x', domainId: made.id };
    const { sender } = await spec.desk.harness.data<{ sender: { id: string } }>(
      'create_email_sender',
      input,
      spec.ours,
    );
    // Campaigns and workflows request a sender, single emails a domain.
    const bouncesTo = async () => {
      const asked = { senderId: sender.id, use: false };
      const caller = spec.desk.harness.caller(spec.ours);
      const requests = spec.desk.harness.client(domainRequests);
      const { domain } = await requests.find_sending_domain({ domain: made.domain }, caller);
      return [(await requests.get_sender(asked, caller)).sender!.mailFromDomain, domain!.mailFromDomain];
    };
    const heard: unknown[] = [];
    spec.desk.harness.bus.onBroadcast('sending-domain.changed', (message) => void heard.push(message));
    expect(await bouncesTo()).toEqual(['mx.tidings.example', 'mx.tidings.example']);
    spec.desk.publish([recordOf(made, 'MAIL_FROM_MX'), recordOf(made, 'MAIL_FROM_SPF')]);
    await spec.desk.verify(made, spec.ours);
    expect(await bouncesTo()).toEqual(['bounce.bounces.example', 'bounce.bounces.example']);
    expect(heard).toEqual([{ organizationId: spec.ours.organizationId, domain: made.domain }]);
  });

  it('leaves the sandbox domain VERIFIED without asking DNS', async () => {
    const { domains } = await spec.desk.harness.data<{ domains: Domain[] }>('list_domains', {}, spec.ours);
    const sandbox = domains.find((domain) => domain.sandbox)!;
    const before = spec.desk.dns.asked.length;
    expect(await spec.desk.verify(sandbox, spec.ours)).toEqual(sandbox);
    expect(spec.desk.dns.asked).toHaveLength(before);
  });

  it('verifies one domain for one organization only: DOMAIN_TAKEN for a later or simultaneous proof', async () => {
    const otherTenant = await spec.desk.organization('Theirs');
    const both = [
      await spec.desk.create('fought.example', spec.ours),
      await spec.desk.create('fought.example', otherTenant),
    ] as const;
    for (const { records } of both) spec.desk.publish(records.filter(({ required }) => required));
    const outcomes = await Promise.all(
      [spec.ours, otherTenant].map((tenant, at) =>
        spec.desk.harness.call('verify_domain', { domainId: both[at]!.id }, tenant),
      ),
    );
    expect(outcomes.map((outcome) => (outcome.ok ? 'VERIFIED' : outcome.error.reason)).sort()).toEqual([
      'DOMAIN_TAKEN',
      'VERIFIED',
    ]);
    const loser = outcomes[0]!.ok ? 1 : 0;
    expect(
      await spec.desk.harness.refusal('verify_domain', { domainId: both[loser].id }, [spec.ours, otherTenant][loser]!),
    ).toBe('DOMAIN_TAKEN');
  });

  it('answers DOMAIN_NOT_FOUND for an unknown id and for another organization’s', async () => {
    const otherTenant = await spec.desk.create('theirs.example', await spec.desk.organization('Others'));
    for (const domainId of [newId('dom'), 'acme', otherTenant.id]) {
      expect(await spec.desk.harness.refusal('verify_domain', { domainId }, spec.ours)).toBe('DOMAIN_NOT_FOUND');
    }
  });
});
