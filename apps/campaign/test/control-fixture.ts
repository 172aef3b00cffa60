import { newId, newSendUuid, uuidOf, wireId } from '#database';
import { intoLayout } from '../../../test/harness/message-layouts.js';
import type { Layout } from '../../../test/harness/message-layouts.js';
import { CampaignFixture } from './campaign-fixture.js';

/** A message of a send, as a test sets it up. */
export interface StoredOutcome {
  email?: string;
  state: string;
  skipReason?: string;
  code?: number;
  enhancedCode?: string;
  response?: string;
}

/** Campaigns that are on their way: their sends exist in the delivery service, and no engine works on them. */
export class ControlFixture {
  private constructor(readonly fixture: CampaignFixture) {}

  static async open(people = 3): Promise<ControlFixture> {
    const fixture = await CampaignFixture.open();
    await fixture.people(people);
    return new ControlFixture(fixture);
  }

  /** A campaign that is SENDING. @returns its id */
  async sending(change: object = {}): Promise<string> {
    const { id } = await this.fixture.draft(change);
    await this.fixture.sendNow(id);
    return id;
  }

  /** A campaign whose send the delivery service does not have yet. */
  async starting(): Promise<string> {
    const { id } = await this.fixture.draft();
    await this.fixture.harness.data('schedule_campaign', { campaignId: id }, this.fixture.tenant);
    await this.fixture.harness.bus.without('subscriber', () => this.fixture.startDue());
    return id;
  }

  async delivery<R = unknown>(text: string, ...values: unknown[]): Promise<R> {
    return await this.fixture.harness.dataSource('delivery').query<R>(text, values);
  }

  async sendState(campaignId: string): Promise<string> {
    const { send_id } = await this.fixture.row(campaignId);
    const [send] = await this.delivery<[{ state: string }]>('select state from send where send_id = $1', send_id);
    return send.state;
  }

  /** Writes messages of a campaign's send. @returns the ids of their subscribers, in the order of the list */
  async outcomes(campaignId: string, outcomes: readonly StoredOutcome[]): Promise<string[]> {
    const { send_id: send } = await this.fixture.row(campaignId);
    const subscribers = outcomes.map(() => newId('sub'));
    for (const [n, outcome] of outcomes.entries()) {
      await this.delivery(
        `insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state,
           skip_reason, code, enhanced_code, response)
         select organization_id, $2, period, 'CAMPAIGN', send_id, 0, $3, $4, 'Hello', $5, $6, $7, $8, $9 from send where send_id = $1`,
        ...[
          send,
          uuidOf('msg', newId('msg')),
          uuidOf('sub', subscribers[n]),
          outcome.email ?? `person-${n}@example.com`,
        ],
        ...[outcome.state, outcome.skipReason, outcome.code, outcome.enhancedCode, outcome.response],
      );
    }
    return subscribers;
  }

  /** Brings the messages of a campaign's send into a layout, after `outcomes`. */
  async intoLayout(layout: Layout, campaignId: string): Promise<void> {
    if (layout === 'rows by subscriber') return;
    const { send_id: old } = await this.fixture.row(campaignId);
    const id = newSendUuid();
    for (const table of ['send', 'send_page', 'message'])
      await this.delivery(`update ${table} set send_id = $2 where send_id = $1`, old, id);
    await this.fixture.harness
      .dataSource('campaign')
      .query(`update campaign set send_id = $2 where send_id = $1`, [old, id]);
    await intoLayout(this.fixture.harness.dataSource('delivery'), layout, wireId('send', id));
  }

  /** Ends a campaign's send in the delivery service, with messages that were refused. */
  async endSend(campaignId: string, failed: number): Promise<void> {
    const { send_id: send } = await this.fixture.row(campaignId);
    await this.delivery(`update send_page set failed = $2, state = 'DONE' where send_id = $1`, send, failed);
    await this.delivery(`update send set state = 'DONE', finished_at = clock_timestamp() where send_id = $1`, send);
  }
}
