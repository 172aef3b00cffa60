import { expect, it } from '@jest/globals';
import type { NewLiveUpdate } from '#bus';
import { askAgainForHeld } from './held-campaign.job.js';

type Dependencies = Parameters<typeof askAgainForHeld>[0];

it('publishes a live update for each held campaign that it fails', async () => {
  const published: NewLiveUpdate[] = [];
  const sends = {
    failHeld: () => Promise.resolve([{ organizationId: 'org_1', id: 'cmp_1' }]),
    claimHeld: () => Promise.resolve([]),
  };
  const bus = { live: { publish: (update: NewLiveUpdate) => void published.push(update) } };
  await askAgainForHeld({ sends, bus } as unknown as Dependencies).run();
  expect(published).toEqual([{ name: 'campaign.changed', id: 'cmp_1', organization: 'org_1' }]);
});
