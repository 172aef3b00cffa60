import { randomUUID } from 'node:crypto';
import { connectBus, serviceCaller } from '#bus';
import { domainRequests } from '#contracts';
import { copySubscribers, until } from '#testing';
import type { TestSystem } from '#testing';

/** Greeting, two links and the way to unsubscribe. */
export const content = [
  "# Hello {{firstName | 'friend'}}",
  'Spring has come, and with it **new seeds**, tools and a longer day to use them. [See what is new](https://shop.internal/spring).',
  'Whoever orders before Sunday gets the catalogue with it. Your address with us is {{email}}; if that is wrong, [tell us](https://shop.internal/account).',
  '[Unsubscribe]({{unsubscribeUrl}})',
].join('\n\n');

/** Polling interval of a user's browser; each poll costs as much as two messages. */
const lookEveryMs = 500;

interface InDoubtPage {
  recipients: { email: string }[];
  nextCursor: string | null;
}

/** A fresh organization with an audience of `size` and a campaign that waits to be sent. */
export class Organization {
  private constructor(
    private readonly system: TestSystem,
    private readonly secret: string,
    readonly organizationId: string,
    private readonly campaignId: string,
  ) {}

  static async open(system: TestSystem, natsUrl: string, size: number): Promise<Organization> {
    const bus = await connectBus({ url: natsUrl, namespace: system.databaseName, name: 'bench' });
    const domain = bus.client(domainRequests);
    const caller = (organizationId: string) => serviceCaller(organizationId, randomUUID());
    const { organization } = await domain.create_organization({ name: 'Garden Shop' }, caller(''));
    const organizationId = organization.id;
    const { secret } = await domain.create_token({ organizationId, name: 'bench' }, caller(organizationId));
    await bus.close();
    await copySubscribers({ databaseUrl: system.environment.DATABASE_URL!, organizationId, count: size });
    return await new Organization(system, secret, organizationId, '').withNextCampaign();
  }

  /** The same organization with a new campaign to the same audience. */
  async withNextCampaign(): Promise<Organization> {
    const { campaignId } = await this.#data<{ campaignId: string }>('create_campaign', {
      subject: "{{firstName | 'Friend'}}, spring is here",
      contentType: 'MARKDOWN',
      content,
    });
    return new Organization(this.system, this.secret, this.organizationId, campaignId);
  }

  /** Sends now, and confirms it. */
  async send(): Promise<void> {
    const campaign = { campaignId: this.campaignId };
    const { confirmationCode } = await this.#call('schedule_campaign', campaign);
    await this.#data('schedule_campaign', { ...campaign, confirmationCode });
  }

  /** Waits until the campaign says that it is SENT. */
  async sent(withinMs: number): Promise<void> {
    await until(
      'the campaign is SENT',
      async () => {
        const { status } = await this.#data<{ status: string }>('get_campaign_progress', {
          campaignId: this.campaignId,
        });
        return status === 'SENT';
      },
      withinMs,
      lookEveryMs,
    );
  }

  /** Addresses of the messages of which the send does not know whether they arrived. */
  async inDoubt(): Promise<string[]> {
    const listed = { campaignId: this.campaignId, statuses: ['IN_DOUBT'], limit: 100 };
    const { recipients, nextCursor } = await this.#data<InDoubtPage>('list_campaign_recipients', listed);
    if (nextCursor) throw new Error('More messages are in doubt than one page has.');
    return recipients.map(({ email }) => email);
  }

  async #data<D>(tool: string, body: object): Promise<D> {
    const answer = await this.#call(tool, body);
    if (!answer.success) throw new Error(`${tool}: ${answer.error}`);
    return answer.data as D;
  }

  async #call(tool: string, body: object) {
    const response = await fetch(`${this.system.url()}/api/v2/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { success: boolean; data?: unknown; error?: string; confirmationCode?: number };
  }
}
