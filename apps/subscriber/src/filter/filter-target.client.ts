import type { ServiceBus } from '#bus';
import { campaignRequests, workflowRequests } from '#contracts';
import type { Named } from '#contracts';
import { uuidOf } from '#database';
import type { IdPrefix } from '#database';
import type { Caller } from '#tool-call';
import type { OwnedElsewhere, Target } from './filter.js';

/** Asks the other services for their records that filters name; never inside a transaction. */
export class FilterTargetClient {
  readonly #campaigns;
  readonly #workflows;

  constructor(bus: ServiceBus) {
    this.#campaigns = bus.client(campaignRequests);
    this.#workflows = bus.client(workflowRequests);
  }

  /**
   * Records by id or by name; missing records and those of other organizations are left out.
   * @param newest adds this number of the newest ones
   * @throws RemoteFailure when the owner does not answer
   */
  async list(
    caller: Caller,
    kind: OwnedElsewhere,
    { newest = 0, ...wanted }: { ids: readonly string[]; names: readonly string[]; newest?: number },
  ): Promise<Target[]> {
    const asked = { ids: [...wanted.ids], names: [...wanted.names], newest };
    if (kind === 'campaign') {
      return (await this.#campaigns.find_campaigns(asked, caller)).campaigns.map(targetOf(kind, 'cmp'));
    }
    return (await this.#workflows.find_workflows(asked, caller)).workflows.map(targetOf(kind, 'wf'));
  }
}

const targetOf =
  (kind: OwnedElsewhere, prefix: IdPrefix) =>
  ({ id, name }: Named): Target => ({ kind, id, key: uuidOf(prefix, id)!, name });
