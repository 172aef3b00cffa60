import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';

describe('get_custom_fields', () => {
  const ours = { organizationId: newId('org') };
  const theirs = { organizationId: newId('org') };
  let tidings: Harness;
  beforeAll(async () => {
    tidings = await Harness.start();
  });
  afterAll(() => tidings.stop());

  it('lists the definitions of the organization by name, and nobody else’s', async () => {
    for (const name of ['zip', 'City', 'age']) await tidings.data('create_custom_field', { name }, ours);
    await tidings.data('create_custom_field', { name: 'Theirs' }, theirs);
    const id = expect.stringMatching(/^fld_/);
    expect(await tidings.data('get_custom_fields', {}, ours)).toEqual({
      customFields: ['age', 'City', 'zip'].map((name) => ({ id, name })),
      total: 3,
    });
    expect(await tidings.data('get_custom_fields', {}, theirs)).toMatchObject({ total: 1 });
    expect(await tidings.data('get_custom_fields', {}, { organizationId: newId('org') })).toEqual({
      customFields: [],
      total: 0,
    });
  });
});
