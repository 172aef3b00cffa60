import { newUuid, uuidOf } from '#database';
import type { Sql } from '#database';
import type { Campaign } from '../campaign/campaign.js';
import { jsonbText } from '../campaign/campaign.repository.js';
import type { HistorySource } from './history.js';

/** Older entries are forgotten: the newest of a campaign stay. */
const entriesKept = 200;

export class HistoryRepository {
  constructor(private readonly sql: Sql) {}

  /** Notes the state after a save; the campaign's row must be locked by the same transaction. */
  async insert(organizationId: string, campaign: Campaign, source: HistorySource): Promise<void> {
    const { id, subject, content, contentType, updatedAt } = campaign;
    const key = [uuidOf('org', organizationId), uuidOf('cmp', id)];
    await this.sql.query(
      `insert into campaign_history (organization_id, campaign_id, history_id, saved_at, source, subject, content, content_type)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [...key, newUuid(), updatedAt, source, subject, jsonbText(content), contentType],
    );
    await this.sql.query(
      `delete from campaign_history where organization_id = $1 and campaign_id = $2 and history_id <= (
         select history_id from campaign_history where organization_id = $1 and campaign_id = $2
         order by history_id desc offset $3 limit 1)`,
      [...key, entriesKept],
    );
  }
}
