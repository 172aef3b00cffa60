import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';
import { inDays, makeToken } from '../tokens.js';

describe('update_api_token', () => {
  const people = openPeople();
  const update = (tokenId: string, change: object) =>
    people.data(people.owner, 'update_api_token', { tokenId, ...change });
  const refused = (tokenId: string, change: object) =>
    people.refusal(people.owner, 'update_api_token', { tokenId, ...change });

  it('renames and narrows; gateways hear of it', async () => {
    const { token } = await makeToken(people, people.owner, { scopes: ['read', 'write'] });
    const heard: unknown[] = [];
    people.harness.bus.onBroadcast('token.changed', (message) => heard.push(message));
    const expiresAt = inDays(5);
    const change = { name: 'Narrow', scopes: ['read'], toolsets: ['tags'], expiresAt };
    expect(await update(token.id, change)).toMatchObject({ token: { id: token.id, ...change } });
    expect(heard).toHaveLength(1);
  });

  it('widens nothing: SCOPE_TOO_HIGH for scopes, PARAMETERS_INVALID for toolsets and the end', async () => {
    const { token } = await makeToken(people, people.owner, { toolsets: ['tags'] });
    expect(await refused(token.id, { scopes: ['read', 'send'] })).toBe('SCOPE_TOO_HIGH');
    expect(await refused(token.id, { toolsets: ['campaigns'] })).toBe('PARAMETERS_INVALID');
    expect(await refused(token.id, { expiresAt: inDays(100) })).toBe('PARAMETERS_INVALID');
    expect(await refused(token.id, {})).toBe('NOTHING_TO_CHANGE');
  });

  it('refuses one that has ended with TOKEN_ENDED', async () => {
    const { token } = await makeToken(people, people.owner);
    await people.data(people.owner, 'revoke_api_token', { tokenId: token.id });
    expect(await refused(token.id, { name: 'X' })).toBe('TOKEN_ENDED');
  });

  it('finds none of another organization, nor of another member without admin: TOKEN_NOT_FOUND', async () => {
    const { token } = await makeToken(people, people.owner, { kind: 'PERSONAL' });
    const asked = { tokenId: token.id, name: 'Stolen' };
    expect(await people.refusal(people.stranger, 'update_api_token', asked, people.theirs)).toBe('TOKEN_NOT_FOUND');
    expect(await people.refusal(await people.member('approver'), 'update_api_token', asked)).toBe('TOKEN_NOT_FOUND');
  });
});
