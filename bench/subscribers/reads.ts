import { wireId } from '#database';
import { median } from '../report.js';
import { timed } from './organization.js';
import type { Organization } from './organization.js';

const rounds = 120;
const warmUp = 15;

/** The one call that is held against a time instead of a growth. */
export const textSearch = 'text, few match';

/**
 * Milliseconds (median) of single calls, by name and organization. Each round reads other subscribers, and each call
 * goes to all organizations in turn: other load of the machine affects all sizes alike.
 */
export async function measureReads(
  organizations: readonly Organization[],
): Promise<Map<string, Map<Organization, number>>> {
  const sides = organizations.map((organization) => ({ town: organization, calls: callsOf(organization) }));
  const names = Object.keys(sides[0]!.calls);
  const taken = new Map(
    names.map((name) => [name, new Map(organizations.map((organization) => [organization, [] as number[]]))]),
  );
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const name of names) {
      for (let turn = 0; turn < sides.length; turn++) {
        const { town: organization, calls } = sides[(round + turn) % sides.length]!;
        const ms = await timed(() => calls[name]!(round));
        if (round >= warmUp) taken.get(name)!.get(organization)!.push(ms);
      }
    }
  }
  const medians = (byOrganization: Map<Organization, number[]>) =>
    new Map([...byOrganization].map(([organization, all]) => [organization, median(all)]));
  return new Map([...taken].map(([name, byOrganization]) => [name, medians(byOrganization)]));
}

function callsOf(organization: Organization): Record<string, (round: number) => Promise<unknown>> {
  const { query, life, size, copied } = organization;
  const person = (round: number) => (round * 7919) % size;
  const cursor = (round: number) => wireId('sub', copied.uuidAt(size - 1 - person(round)));
  const tagged = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] }];
  const filters = [...tagged, { type: 'STRING', field: 'name', operator: 'STARTS_WITH', value: 'person' }];
  return {
    list: () => query.list_subscribers({}, organization.caller()),
    'list, by cursor': (round) => query.list_subscribers({ cursor: cursor(round) }, organization.caller()),
    'list, tag and cursor': (round) =>
      query.list_subscribers({ tag: 'half', cursor: cursor(round) }, organization.caller()),
    'query, by cursor': (round) => query.query_subscribers({ filters, cursor: cursor(round) }, organization.caller()),
    get: (round) => life.get_subscriber({ email: `person${person(round)}@people.internal` }, organization.caller()),
    add: (round) =>
      life.add_subscriber({ email: `new${round}@people.internal`, tags: ['half'] }, organization.caller()),
    [textSearch]: (round) => query.list_subscribers({ query: `person${person(round)}@` }, organization.caller()),
  };
}
