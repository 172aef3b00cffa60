import type { ServiceBus } from '#bus';
import { campaignRequests, workflowRequests } from '#contracts';
import type { Named } from '#contracts';
import type { Sql } from '#database';
import type { Caller } from '#tool-call';
import { SegmentRepository } from '../segment/segment.repository.js';

/**
 * Finds the users of a tag, field or segment (`tag:tag_…`), which a deletion would break; never inside a transaction.
 */
export class ReferenceClient {
  constructor(
    private readonly sql: Sql,
    private readonly bus: ServiceBus,
  ) {}

  /**
   * Segments, SCHEDULED and SENDING campaigns, and ACTIVE workflows, each in words with its id.
   * @throws RemoteFailure when an owner does not answer: a record is deleted only if it is proven unused
   */
  async list(caller: Caller, reference: string): Promise<string[]> {
    const asked = { references: [reference] };
    const [segments, campaigns, workflows] = await Promise.all([
      new SegmentRepository(this.sql).listNaming(caller.organizationId, reference),
      this.bus.client(campaignRequests).list_filter_users(asked, caller),
      this.bus.client(workflowRequests).list_filter_users(asked, caller),
    ]);
    return [
      ...inWords('segment', segments),
      ...inWords('campaign', campaigns.users),
      ...inWords('workflow', workflows.users),
    ];
  }
}

export const inWords = (noun: string, records: readonly Named[]): string[] =>
  records.map(({ id, name }) => `the ${noun} "${name}" (${id})`);
