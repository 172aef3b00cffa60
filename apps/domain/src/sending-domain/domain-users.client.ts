import type { ServiceBus } from '#bus';
import { campaignRequests, workflowRequests } from '#contracts';
import type { Named } from '#contracts';
import type { Caller } from '#tool-call';

/**
 * Finds the users of sending domains and senders, which a deletion would break; never inside a transaction, since it
 * calls other services.
 */
export class DomainUsersClient {
  constructor(private readonly bus: ServiceBus) {}

  /**
   * Lists SCHEDULED and SENDING campaigns and ACTIVE workflows, each in words with its id.
   * @param ids of senders and domains
   * @throws RemoteFailure when an owner does not answer: a record is deleted only if it is proven unused
   */
  async list(ids: readonly string[], caller: Caller): Promise<string[]> {
    if (ids.length === 0) return [];
    const asked = { references: ids.map((id) => `${id.startsWith('snd_') ? 'sender' : 'domain'}:${id}`) };
    const [campaigns, workflows] = await Promise.all([
      this.bus.client(campaignRequests).list_filter_users(asked, caller),
      this.bus.client(workflowRequests).list_filter_users(asked, caller),
    ]);
    const inWords = (noun: string, records: readonly Named[]) =>
      records.map(({ id, name }) => `the ${noun} "${name}" (${id})`);
    return [...inWords('campaign', campaigns.users), ...inWords('workflow', workflows.users)];
  }
}
