import { beforeAll, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import type { sender } from '#contracts';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { DomainFixture } from '../domain-fixture.js';
import type { Domain } from '../domain-fixture.js';

type Sender = z.infer<typeof sender>;

describe('create_email_sender', () => {
  const fixture = useFixture(() => DomainFixture.open());
  let tenant: Tenant;
  let domain: Domain;
  let sandbox: Domain;
  beforeAll(async () => {
    tenant = await fixture.organization('Ours');
    sandbox = (await fixture.harness.data<{ domains: Domain[] }>('list_domains', {}, tenant)).domains[0]!;
    domain = await fixture.verified('acme.example', tenant);
  });
  const create = async (input: object) =>
    (await fixture.harness.data<{ sender: Sender }>('create_email_sender', input, tenant)).sender;
  const refusal = (input: object, by = tenant) =>
    fixture.harness.refusal(
      'create_email_sender',
      { displayName: 'X', localPart: 'x', domainId: domain.id, ...input },
      by,
    );
  const defaults = async () =>
    (await fixture.harness.data<{ senders: Sender[] }>('get_email_senders', {}, tenant)).senders
      .filter(({ isDefault }) => isDefault)
      .map(({ email }) => email);

  it('leaves the default alone on the sandbox, gives it to the first sender on a domain of one’s own, and to no later one', async () => {
    await create({ displayName: 'Sandbox', localPart: 'second', domainId: sandbox.id });
    expect(await defaults()).toEqual([`hello@${sandbox.domain}`]);
    expect(await create({ displayName: ' Zoë & Co ', localPart: 'News.Letter', domainId: domain.id })).toEqual({
      id: expect.stringMatching(/^snd_/),
      displayName: 'Zoë & Co',
      localPart: 'News.Letter',
      domain: 'acme.example',
      email: 'News.Letter@acme.example',
      replyTo: null,
      isDefault: true,
    });
    expect((await create({ displayName: 'Care', localPart: 'care+1', domainId: domain.id })).isDefault).toBe(false);
    expect(await defaults()).toEqual(['News.Letter@acme.example']);
  });

  it('takes a reply address alone or as the one item of a list', async () => {
    const make = async (localPart: string, replyTo: unknown) =>
      (await create({ displayName: 'R', localPart, domainId: domain.id, replyTo })).replyTo;
    expect(await make('r1', 'Ada <ada@bücher.example>')).toBe('ada@xn--bcher-kva.example');
    expect(await make('r2', ['ada@example.com'])).toBe('ada@example.com');
    expect(await make('r3', null)).toBeNull();
  });

  it('refuses an invalid reply address, and two of them, with SENDER_REPLY_TO_INVALID', async () => {
    expect(await refusal({ replyTo: 'nobody' })).toBe('SENDER_REPLY_TO_INVALID');
    expect(await refusal({ replyTo: ['a@example.com', 'b@example.com'] })).toBe('PARAMETERS_INVALID');
  });

  it.each(['.x', 'x.', 'a..b', 'a b', 'a@b', '"a"', 'é', 'a\r\nb', 'x'.repeat(65)])(
    'refuses the local part %j with SENDER_LOCAL_PART_INVALID',
    async (localPart) => {
      expect(await refusal({ localPart })).toBe('SENDER_LOCAL_PART_INVALID');
    },
  );

  it('refuses a display name that would break a header', async () => {
    expect(await refusal({ displayName: 'A\r\nBcc: all@example.com' })).toBe('PARAMETERS_INVALID');
  });

  it('refuses an existing address with SENDER_EXISTS and its id, in any case, and changes no default', async () => {
    const { id } = await create({ displayName: 'Once', localPart: 'once', domainId: domain.id });
    const again = { displayName: 'Twice', localPart: 'ONCE', domainId: domain.id };
    expect(await fixture.harness.call('create_email_sender', again, tenant)).toMatchObject({
      ok: false,
      error: { reason: 'SENDER_EXISTS', message: expect.stringContaining(id) },
    });
    expect(await defaults()).toEqual(['News.Letter@acme.example']);
  });

  it('refuses a domain that is not VERIFIED with SENDER_DOMAIN_UNVERIFIED', async () => {
    const pending = await fixture.create('pending.example', tenant);
    expect(await refusal({ domainId: pending.id })).toBe('SENDER_DOMAIN_UNVERIFIED');
    const sub = await fixture.create('sub.acme.example', tenant);
    expect(await refusal({ domainId: sub.id })).toBe('SENDER_DOMAIN_UNVERIFIED');
  });

  it('answers DOMAIN_NOT_FOUND for an unknown domain and for another organization’s', async () => {
    const otherTenant = await fixture.organization('Theirs');
    expect(await refusal({ domainId: newId('dom') })).toBe('DOMAIN_NOT_FOUND');
    expect(await refusal({}, otherTenant)).toBe('DOMAIN_NOT_FOUND');
  });
});
