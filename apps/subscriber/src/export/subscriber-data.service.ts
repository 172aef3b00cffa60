import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { subscriberDataRequests } from '#contracts';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { HistoryRepository } from '../history/history.repository.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { SubscriberDataRepository } from './subscriber-data.repository.js';

/** Records read at a time; a run has a history of its own, so that few of them fit a message of the bus. */
const pageSize = 500;
const runsPageSize = 20;

type Records = AsyncGenerator<object>;

export class SubscriberDataService {
  constructor(
    private readonly sql: Sql,
    private readonly bus: ServiceBus,
  ) {}

  /** Yields the text of one JSON document, in parts of one record each: memory does not grow with the history. */
  async *text(organizationId: string, subscriberId: string): AsyncGenerator<string> {
    const view = await new SubscriberViewRepository(this.sql).find(organizationId, subscriberId);
    const record = await new SubscriberDataRepository(this.sql).findRecord(organizationId, subscriberId);
    if (!view || !record) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId });
    yield `{"subscriber":${JSON.stringify({ ...view, ...record })}`;
    const lists: Record<string, Records> = {
      history: this.#history(organizationId, subscriberId),
      campaigns: this.#campaigns(organizationId, subscriberId),
      messages: this.#of('delivery', pageSize, organizationId, subscriberId),
      workflowRuns: this.#of('workflow', runsPageSize, organizationId, subscriberId),
    };
    for (const [name, records] of Object.entries(lists)) {
      yield `,\n"${name}":[`;
      let separator = '\n';
      for await (const one of records) {
        yield separator + JSON.stringify(one);
        separator = ',\n';
      }
      yield ']';
    }
    yield '}\n';
  }

  async *#history(organizationId: string, subscriberId: string): Records {
    const history = new HistoryRepository(this.sql);
    const all = { types: [], order: 'ASC' as const, from: null, to: null, search: null, limit: pageSize };
    let after: { at: string; id: string } | null = null;
    for (;;) {
      const lines = await history.listPage(organizationId, subscriberId, { ...all, after });
      yield* lines;
      if (lines.length < pageSize) return;
      after = { at: lines.at(-1)!.createdAt, id: lines.at(-1)!.id };
    }
  }

  async *#campaigns(organizationId: string, subscriberId: string): Records {
    const data = new SubscriberDataRepository(this.sql);
    let after: string | null = null;
    for (;;) {
      const campaigns = await data.listCampaigns(organizationId, subscriberId, { after, limit: pageSize });
      yield* campaigns;
      if (campaigns.length < pageSize) return;
      after = campaigns.at(-1)!.id;
    }
  }

  async *#of(service: 'delivery' | 'workflow', limit: number, organizationId: string, subscriberId: string): Records {
    const client = this.bus.client(subscriberDataRequests(service));
    let after: string | null = null;
    do {
      const asked = { subscriberId, after, limit };
      const page = await client.list_subscriber_data(asked, serviceCaller(organizationId, subscriberId));
      yield* page.records;
      after = page.next;
    } while (after !== null);
  }
}
