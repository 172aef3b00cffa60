import { filterTools } from '#contracts';
import { implement, RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import { depthMax } from './filter.js';
import type { TargetKind } from './filter.js';
import type { FilterTargetClient } from './filter-target.client.js';
import type { FilterTargetRepository } from './filter-target.repository.js';
import { listedGroup, listFilters } from './list-filters.js';

interface Dependencies {
  targets: FilterTargetRepository;
  owners: FilterTargetClient;
}

export const implementFilterTools = ({ targets, owners }: Dependencies) =>
  implement(filterTools, {
    get_available_filters: async (_args, caller) => {
      const [own, workflow] = await Promise.all([
        targets.listNewest(caller.organizationId),
        newestWorkflow(owners, caller),
      ]);
      const samples = new Map<TargetKind, string>([...own, ...workflow].map(({ kind, name }) => [kind, name]));
      return { filters: listFilters(samples), group: { depthMax, ...listedGroup } };
    },
  });

/** A sample is no reason to fail: without its owner the example shows a placeholder. */
async function newestWorkflow(owners: FilterTargetClient, caller: Caller) {
  try {
    return await owners.list(caller, 'workflow', { ids: [], names: [], newest: 1 });
  } catch (error) {
    if (error instanceof RemoteFailure) return [];
    throw error;
  }
}
