import { newId } from '#database';
import { median } from '../report.js';
import { timed } from './organization.js';
import type { Organization } from './organization.js';

const pagesEach = 60;

/**
 * Seconds to freeze the whole list, and milliseconds (median) of a chunk at the start, in the middle and at the end.
 */
export async function measureAudience(
  organization: Organization,
): Promise<{ freeze: number; first: number; middle: number; last: number }> {
  const { requests } = organization;
  const audienceId = newId('aud');
  const caller = { ...organization.caller(), deadline: Date.now() + 600_000 };
  let pages = 0;
  const freeze = await timed(async () => {
    ({ pages } = await requests.freeze_audience({ audienceId, purpose: 'SEND', filters: [] }, caller));
  });
  const { filters } = await requests.check_filters(
    { filters: [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] }] },
    organization.caller(),
  );
  const places = { first: 0, middle: Math.floor(pages / 2), last: pages };
  const taken = { first: [] as number[], middle: [] as number[], last: [] as number[] };
  const several = Math.min(pagesEach, Math.floor(pages / 3));
  for (let step = 0; step < several; step++) {
    for (const place of ['first', 'middle', 'last'] as const) {
      const pageNumber = place === 'last' ? pages - several + step : places[place] + step;
      const page = { audienceId, pageNumber, showIf: [filters] };
      taken[place].push(await timed(() => requests.get_audience_page(page, organization.caller())));
    }
  }
  await requests.release_audience({ audienceId }, caller);
  return {
    freeze: freeze / 1000,
    first: median(taken.first),
    middle: median(taken.middle),
    last: median(taken.last),
  };
}
