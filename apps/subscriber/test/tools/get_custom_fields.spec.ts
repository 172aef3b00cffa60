import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_custom_fields', () => {
  const tenant = { organizationId: newId('org') };
  const otherTenant = { organizationId: newId('org') };
  const harness = useFixture(() => Harness.start());

  it('lists the definitions of its organization only, by name', async () => {
    for (const name of ['zip', 'City', 'age']) await harness.data('create_custom_field', { name }, tenant);
    await harness.data('create_custom_field', { name: 'Theirs' }, otherTenant);
    const id = expect.stringMatching(/^fld_/);
    expect(await harness.data('get_custom_fields', {}, tenant)).toEqual({
      customFields: ['age', 'City', 'zip'].map((name) => ({ id, name })),
      total: 3,
    });
    expect(await harness.data('get_custom_fields', {}, otherTenant)).toMatchObject({ total: 1 });
    expect(await harness.data('get_custom_fields', {}, { organizationId: newId('org') })).toEqual({
      customFields: [],
      total: 0,
    });
  });
});
