import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';
import type { TestMember } from '../people-fixture.js';
import { makeToken } from '../tokens.js';

describe('list_api_tokens', () => {
  const people = openPeople();
  const names = async (member: TestMember, input: object = {}) =>
    (await people.data<{ tokens: { name: string }[] }>(member, 'list_api_tokens', input)).tokens.map(
      ({ name }) => name,
    );

  it('lists all to admins, the newest first, and to others their own; ended ones only when asked', async () => {
    const viewer = await people.member('viewer');
    await makeToken(people, people.owner, { name: 'first' });
    const { token } = await makeToken(people, people.owner, { name: 'ended' });
    await makeToken(people, viewer, { name: 'own', kind: 'PERSONAL' });
    await people.data(people.owner, 'revoke_api_token', { tokenId: token.id });
    expect(await names(people.owner)).toEqual(['own', 'first']);
    expect(await names(people.owner, { includeEnded: true })).toEqual(['own', 'ended', 'first']);
    expect(await names(viewer)).toEqual(['own']);
  });

  it('lists none of another organization', async () => {
    const outcome = await people.as(people.stranger, 'list_api_tokens', { includeEnded: true }, people.theirs);
    expect(outcome).toMatchObject({ ok: true, data: { tokens: [] } });
  });
});
