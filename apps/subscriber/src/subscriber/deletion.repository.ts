import { messageIdSql, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { dropEmptyMark, keepMarks } from '../suppression/suppression-entry.repository.js';
import { FormerSubscriberRepository } from './former-subscriber.repository.js';

export class DeletionRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Deletes a locked subscriber with all its data. Suppression entries stay with the hash of the address, which the id
   * leads to as long as mail may be answered.
   * @returns ids of the tags that were held, and of the messages by position that the history named
   */
  async delete(
    organizationId: string,
    subscriberId: string,
    addressHash: string,
  ): Promise<{ tagIds: string[]; campaignMessageIds: string[] }> {
    const key = [uuidOf('org', organizationId), uuidOf('sub', subscriberId)];
    await this.sql.query(keepMarks, [...key, addressHash]);
    await this.sql.query(dropEmptyMark, [key[0], addressHash]);
    const former = new FormerSubscriberRepository(this.sql);
    await former.upsertAddress(organizationId, subscriberId, addressHash);
    await former.insert(organizationId, subscriberId, addressHash);
    await this.sql.query(
      `update audience_page set emails[array_position(subscriber_ids, $2)] = ''
       where organization_id = $1 and subscriber_ids @> array[$2]::uuid[]`,
      key,
    );
    const ofPerson = 'where organization_id = $1 and subscriber_id = $2';
    const [tags]: [{ tag_id: string }[]] = await this.sql.query(
      `delete from subscriber_tag ${ofPerson} returning tag_id`,
      key,
    );
    const [messages]: [{ message_id: string }[]] = await this.sql.query(
      `delete from campaign_recipient c using campaign_ref r
       where r.campaign_no = c.campaign_no and r.organization_id = $1 and c.subscriber_id = $2
       returning ${messageIdSql('r.send_id', 'c.position')} as message_id`,
      key,
    );
    for (const table of dependents) await this.sql.query(`delete from ${table} ${ofPerson}`, key);
    return {
      tagIds: tags.map(({ tag_id }) => wireId('tag', tag_id)),
      campaignMessageIds: messages.map(({ message_id }) => wireId('msg', message_id)),
    };
  }
}

/** The subscriber is last, so that no transaction adds rows to the others meanwhile. */
const dependents = [
  'subscriber_event',
  'subscriber_activity',
  'subscriber_campaign',
  'subscriber_workflow',
  'subscriber',
];
