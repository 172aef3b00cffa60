import type { Data, Input } from '#contracts';
import type { accessTools } from '#contracts';
import type { PeopleFixture, TestMember } from './people-fixture.js';

type Tools = (typeof accessTools)['calls'];
export type MadeToken = Data<Tools['create_api_token']>;

export const dayMs = 86_400_000;
/** The instant some days from now, as on the wire. */
export const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();

/** Makes a token that may read, unless more is said. */
export const makeToken = (
  people: PeopleFixture,
  maker: TestMember,
  change: Partial<Input<Tools['create_api_token']>> = {},
): Promise<MadeToken> =>
  people.data<MadeToken>(maker, 'create_api_token', { name: 'Report', scopes: ['read'], ...change });
