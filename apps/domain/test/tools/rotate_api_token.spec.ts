import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import type { Scope } from '#contracts';
import { hashApiToken } from '#tool-call';
import { openPeople } from '../people-fixture.js';
import type { TestMember } from '../people-fixture.js';
import { makeToken } from '../tokens.js';
import type { MadeToken } from '../tokens.js';

describe('rotate_api_token', () => {
  const people = openPeople();
  const isKnown = async (secret: string) => {
    const caller = people.harness.caller({ organizationId: '' });
    const asked = { tokenHash: hashApiToken(secret) };
    return (await people.harness.client(domainRequests).authenticate_token(asked, caller)).token !== null;
  };
  /** A token as the gateway calls for it. */
  const asToken = (id: string, scopes: readonly Scope[]): TestMember => ({
    ...people.owner,
    caller: { actor: { kind: 'TOKEN', id }, tokenId: id, scopes },
  });
  const rotate = (caller: TestMember, tokenId: string, more: object = {}) =>
    people.data<MadeToken>(caller, 'rotate_api_token', { tokenId, ...more });

  it('keeps id, rights and end, and the former secrets for the overlap', async () => {
    const made = await makeToken(people, people.owner);
    const second = await rotate(people.owner, made.token.id);
    const third = await rotate(people.owner, made.token.id, { overlapHours: 0 });
    expect(third.token).toEqual({ ...made.token, lastFour: third.secret.slice(-4) });
    expect(await Promise.all([made, second, third].map(({ secret }) => isKnown(secret)))).toEqual([true, false, true]);
    await people.data(people.owner, 'revoke_api_token', { tokenId: made.token.id });
    expect(await isKnown(made.secret)).toBe(false);
  });

  it('lets a token rotate itself, and no other: USER_REQUIRED', async () => {
    const { token } = await makeToken(people, people.owner);
    expect((await rotate(asToken(token.id, ['read']), token.id)).token.id).toBe(token.id);
    const other = asToken((await makeToken(people, people.owner)).token.id, ['admin']);
    expect(await people.refusal(other, 'rotate_api_token', { tokenId: token.id })).toBe('USER_REQUIRED');
  });

  it('refuses one that has ended (TOKEN_ENDED), and one of another organization (TOKEN_NOT_FOUND)', async () => {
    const { token } = await makeToken(people, people.owner);
    const named = { tokenId: token.id };
    expect(await people.refusal(people.stranger, 'rotate_api_token', named, people.theirs)).toBe('TOKEN_NOT_FOUND');
    await people.data(people.owner, 'revoke_api_token', named);
    expect(await people.refusal(people.owner, 'rotate_api_token', named)).toBe('TOKEN_ENDED');
  });
});
