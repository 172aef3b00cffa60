import { clientOf } from '#bus';
import type { ServiceBus } from '#bus';
import { ContentCompiler } from '#content';
import type { MailTemplate } from '#content';
import { domainRequests } from '#contracts';
import type { campaign as campaignSchema, DomainEvent, EventData, EventName } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import { Outbox } from '#events';
import { createLogger } from '#observability';
import { testLogLevel } from '#testing';
import { nameKey } from '#tool-call';
import type { z } from 'zod';
import { Harness } from '../../../test/harness/harness.js';
import type { Tenant } from '../../../test/harness/harness.js';
import { environmentFor } from '../../../test/harness/service-plans.js';
import { ContentService } from '../src/content/content.service.js';
import { MailComposer } from '../src/content/mail-composer.service.js';
import { SendRepository } from '../src/send/send.repository.js';
import { SendStarter } from '../src/send/send-start.worker.js';
import { SenderClient } from '../src/sender/sender.client.js';
import { SnippetRepository } from '../src/snippet/snippet.repository.js';

export const doc = (...nodes: object[]) => ({ type: 'doc', content: nodes });
export const paragraph = (text: string, attrs?: object) => ({
  type: 'paragraph',
  ...(attrs && { attrs }),
  content: [{ type: 'text', text }],
});
/** A footer with the link that schedule_campaign looks for. */
export const unsubscribeFooter = {
  type: 'footer',
  content: [{ type: 'text', text: 'Unsubscribe', marks: [{ type: 'link', attrs: { href: '{{unsubscribeUrl}}' } }] }],
};
export const shownTo = (tag: string) => ({
  showIf: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }],
});

type Ask = ServiceBus['request'];

/** A bus that passes every request through `between`, which may fail, delay or repeat it. */
export const busWith = (
  bus: ServiceBus,
  between: (ask: Ask, number: number, ...question: Parameters<Ask>) => ReturnType<Ask>,
): ServiceBus => {
  let asked = 0;
  const request: Ask = (...question) => between((...again) => bus.request(...again), ++asked, ...question);
  return {
    connected: true,
    disconnects: 0,
    request,
    client: (set) => clientOf(set, request),
    live: bus.live,
    broadcast: () => undefined,
    onBroadcast: () => undefined,
  };
};

/** Compiles mails as a release would that writes HTML differently. */
class OtherContentService extends ContentService {
  override async compile(...input: Parameters<ContentService['compile']>) {
    const compiled = await super.compile(...input);
    const template: MailTemplate = { ...compiled.template, html: [...compiled.template.html, '<!-- other -->'] };
    return { ...compiled, template };
  }
}

export type CampaignData = z.output<typeof campaignSchema>;

/** An organization that can send: its sandbox domain is verified and has a sender. */
export interface Publisher extends Tenant {
  name: string;
}

/** All services, two organizations, and what campaigns are tested with. */
export class CampaignFixture {
  private constructor(
    readonly harness: Harness,
    readonly tenant: Publisher,
    readonly otherTenant: Publisher,
  ) {}

  static async open(): Promise<CampaignFixture> {
    const harness = await Harness.start();
    return new CampaignFixture(harness, await found(harness, 'Ours'), await found(harness, 'Theirs'));
  }

  async close(): Promise<void> {
    await this.harness.stop();
  }

  found(name: string): Promise<Publisher> {
    return found(this.harness, name);
  }

  async draft(change: object = {}, tenant: Tenant = this.tenant): Promise<CampaignData> {
    const input = { name: 'Spring news', subject: 'Hello', ...change };
    return (await this.harness.data<{ campaign: CampaignData }>('create_campaign', input, tenant)).campaign;
  }

  async get(campaignId: string, tenant: Tenant = this.tenant): Promise<CampaignData> {
    return (await this.harness.data<{ campaign: CampaignData }>('get_campaign', { campaignId }, tenant)).campaign;
  }

  /** Subscribes fixture addresses, with a tag where one is named. */
  async people(count: number, tag?: string, tenant: Tenant = this.tenant): Promise<void> {
    const subscribers = Array.from({ length: count }, (_, n) => ({
      email: `${tag ?? 'person'}-${n}@example.com`,
      name: `Person ${n}`,
      ...(tag && { tags: [tag] }),
    }));
    while (subscribers.length > 0) {
      await this.harness.data('import_subscribers', { subscribers: subscribers.splice(0, 500) }, tenant);
    }
  }

  /** A campaign worker that the test runs step by step; it reaches other services through `bus`. */
  starter({
    bus = this.harness.bus,
    pollIntervalMs = 1_000,
    otherRelease = false,
  }: { bus?: ServiceBus; pollIntervalMs?: number; otherRelease?: boolean } = {}): SendStarter {
    const { manager } = this.harness.dataSource('campaign');
    const compiler = new ContentCompiler({ file: environmentFor('').CONTENT_THREAD_URL });
    return new SendStarter({
      sends: new SendRepository(manager),
      composer: new MailComposer({
        snippets: new SnippetRepository(manager),
        content: otherRelease ? new OtherContentService(compiler) : new ContentService(compiler),
        bus,
      }),
      senders: new SenderClient(bus),
      bus,
      log: createLogger('campaign', testLogLevel),
      leaseMs: 30_000,
      pollIntervalMs,
    });
  }

  /** Starts every send that is due. */
  async startDue(starter = this.starter()): Promise<void> {
    while ((await starter.take()) > 0) await starter.settled();
  }

  async sendNow(campaignId: string, tenant: Tenant = this.tenant): Promise<void> {
    await this.harness.data('schedule_campaign', { campaignId }, tenant);
    await this.startDue();
  }

  /** Changes columns of a campaign that no tool changes; `change` is SQL. */
  async age(campaignId: string, change: string): Promise<void> {
    await this.harness
      .dataSource('campaign')
      .query(`update campaign set ${change} where campaign_id = $1`, [uuidOf('cmp', campaignId)]);
  }

  async row(campaignId: string): Promise<Record<string, unknown> & { send_id: string; audience_id: string | null }> {
    const [row] = await this.harness
      .dataSource('campaign')
      .query<[never]>(`select * from campaign where campaign_id = $1`, [uuidOf('cmp', campaignId)]);
    return row;
  }

  /** A campaign's history, oldest first. */
  async history(campaignId: string): Promise<{ source: string; subject: string; content: unknown; saved_at: Date }[]> {
    return await this.harness
      .dataSource('campaign')
      .query(
        `select source, subject, content, saved_at from campaign_history where campaign_id = $1 order by history_id`,
        [uuidOf('cmp', campaignId)],
      );
  }

  /** Makes a snippet. @returns its id */
  async snippet(name: string, content: object, tenant: Tenant = this.tenant): Promise<string> {
    const id = newUuid();
    await this.harness.dataSource('campaign').query(
      `insert into snippet (organization_id, snippet_id, name, name_key, content, updated_at)
       values ($1, $2, $3, $4, $5, clock_timestamp())`,
      [uuidOf('org', tenant.organizationId), id, name, nameKey(name), JSON.stringify(content)],
    );
    return wireId('snp', id);
  }

  /** Deletes a tag without checking who uses it. */
  async dropTag(name: string): Promise<void> {
    await this.harness
      .dataSource('subscriber')
      .query(`update tag set deleted_at = clock_timestamp() where name = $1`, [name]);
  }

  /** Deletes a snippet without checking who uses it. */
  async dropSnippet(snippetId: string): Promise<void> {
    const sql = this.harness.dataSource('campaign');
    await sql.query(`delete from snippet_use where snippet_id = $1`, [uuidOf('snp', snippetId)]);
    await sql.query(`delete from snippet where snippet_id = $1`, [uuidOf('snp', snippetId)]);
  }

  /** Creates a segment of subscribers without a tag. @returns the filter that includes it */
  async segmentWithout(tag: string): Promise<{ type: string; operator: string; segmentId: string }> {
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagNames: [tag] }];
    const input = { name: `Without ${tag}`, filters };
    const { segment } = await this.harness.data<{ segment: { id: string } }>('create_segment', input, this.tenant);
    return { type: 'SEGMENT', operator: 'INCLUDE', segmentId: segment.id };
  }

  /** Makes a segment contain itself, which no tool allows. */
  async closeCircle(including: { segmentId: string }): Promise<void> {
    await this.harness
      .dataSource('subscriber')
      .query(`update segment set filters = $2 where segment_id = $1`, [
        uuidOf('seg', including.segmentId),
        JSON.stringify([{ field: 'segment', ...including }]),
      ]);
  }

  /** Emits events of the delivery service. @returns every delivered event */
  async hear<N extends EventName>(
    name: N,
    data: readonly EventData<N>[],
    tenant: Tenant = this.tenant,
  ): Promise<DomainEvent[]> {
    const outbox = new Outbox('delivery');
    for (const one of data) outbox.add(tenant.organizationId, name, one, 'spec');
    await outbox.flush(this.harness.dataSource('delivery').manager);
    return await this.harness.deliverEvents();
  }

  /** Emits the delivery service's event that a campaign's send is finished. */
  async finish(campaignId: string, outcome: 'SENT' | 'FAILED' = 'SENT', failure: string | null = null): Promise<void> {
    const { send_id } = await this.row(campaignId);
    const at = '2026-05-01T10:00:00.000Z';
    const sendId = wireId('send', send_id);
    await this.hear('send.finished', [{ sendId, campaignId, outcome, failure, at }]);
  }
}

async function found(harness: Harness, name: string): Promise<Publisher> {
  const nobody = harness.caller({ organizationId: '' });
  const { organization } = await harness.client(domainRequests).create_organization({ name }, nobody);
  return { organizationId: organization.id, name };
}
