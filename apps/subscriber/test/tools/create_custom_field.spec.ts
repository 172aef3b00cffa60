import { describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('create_custom_field', () => {
  const tenant = { organizationId: newId('org') };
  const otherTenant = { organizationId: newId('org') };
  const harness = useFixture(() => Harness.start());

  it('creates a definition without values', async () => {
    const made = await harness.data<{ customField: { id: string } }>(
      ...(['create_custom_field', { name: '  Shoe \u0007size ' }, tenant] as const),
    );
    expect(made).toEqual({ customField: { id: expect.stringMatching(/^fld_/), name: 'Shoe size' } });
  });

  it('refuses the 301st field with LIMIT_REACHED, limit and used, also to callers at once, until an operator allows more', async () => {
    const tenant = { organizationId: newId('org') };
    const subscribers = Array.from({ length: 298 }, (_, n) => ({
      email: `p${n}@example.com`,
      fields: { [`field ${n}`]: 'x' },
    }));
    await harness.data('import_subscribers', { subscribers }, tenant);
    const create = (name: string) => harness.call('create_custom_field', { name }, tenant);
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map(create));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(2);
    expect(await create('e')).toMatchObject({
      ok: false,
      error: { code: 'REFUSED', reason: 'LIMIT_REACHED', limit: { limit: 300, used: 300 } },
    });
    const { set_custom_field_limit } = harness.client(subscriberRequests);
    expect(await set_custom_field_limit({ limit: 301 }, harness.caller(tenant))).toEqual({ limit: 301, used: 300 });
    expect(await create('e')).toMatchObject({ ok: true });
    expect(await set_custom_field_limit({ limit: null }, harness.caller(tenant))).toEqual({ limit: 300, used: 301 });
    expect(await create('f')).toMatchObject({ ok: false, error: { limit: { limit: 300, used: 301 } } });
  });

  it('refuses a name that exists in another case with FIELD_NAME_TAKEN and its id', async () => {
    const { customField } = await harness.data<{ customField: { id: string } }>(
      ...(['create_custom_field', { name: 'Größe' }, tenant] as const),
    );
    const outcome = await harness.call('create_custom_field', { name: 'GRÖßE' }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'FIELD_NAME_TAKEN', code: 'CONFLICT' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(customField.id);
  });

  it.each(['email', 'FIRSTNAME', 'customfields', 'org-name', 'Snp_x', 'unsubscribeUrl', '\u0007'])(
    'refuses the reserved name %j with FIELD_RESERVED',
    async (name) => {
      expect(await harness.refusal('create_custom_field', { name }, tenant)).toBe('FIELD_RESERVED');
    },
  );

  it('refuses empty and long names', async () => {
    for (const name of ['', ' ', 'x'.repeat(256)])
      expect(await harness.refusal('create_custom_field', { name }, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('keeps organizations apart: the same name is free in another one', async () => {
    await harness.data('create_custom_field', { name: 'Shared' }, tenant);
    expect(await harness.data('create_custom_field', { name: 'shared' }, otherTenant)).toMatchObject({
      customField: { name: 'shared' },
    });
  });
});
