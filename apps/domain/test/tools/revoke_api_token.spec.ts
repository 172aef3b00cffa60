import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';
import { makeToken } from '../tokens.js';

describe('revoke_api_token', () => {
  const people = openPeople();

  it('ends a token at once; its owner may without the scope admin, another organization may not (TOKEN_NOT_FOUND)', async () => {
    const viewer = await people.member('viewer');
    const { token } = await makeToken(people, viewer, { kind: 'PERSONAL' });
    const named = { tokenId: token.id };
    expect(await people.refusal(people.stranger, 'revoke_api_token', named, people.theirs)).toBe('TOKEN_NOT_FOUND');
    expect(await people.refusal(await people.member('viewer'), 'revoke_api_token', named)).toBe('TOKEN_NOT_FOUND');
    expect(await people.data(viewer, 'revoke_api_token', named)).toMatchObject({
      token: { id: token.id, revokedAt: expect.stringMatching(/Z$/) },
    });
  });
});
