import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import type { Campaign } from '../campaign/campaign.js';
import { jsonbText } from '../campaign/campaign.repository.js';
import type { FullHistoryEntry, HistoryEntry, HistorySource } from './history.js';

/** Older entries are forgotten: the newest of a campaign stay. */
const entriesKept = 200;

interface Row {
  history_id: string;
  saved_at: Date;
  source: HistorySource;
  subject: string;
}
const entryOf = ({ history_id, saved_at, source, subject }: Row): HistoryEntry => ({
  id: wireId('hst', history_id),
  savedAt: saved_at,
  source,
  subject,
});

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
  /**
   * Entries of a campaign, newest first, from the one after `cursor` (an entry's id, which may be gone) on; one more
   * than `limit` when there are more.
   */
  async list(
    organizationId: string,
    campaignId: string,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<HistoryEntry[]> {
    const rows: Row[] = await this.sql.query(
      `select history_id, saved_at, source, subject from campaign_history
       where organization_id = $1 and campaign_id = $2 and ($3::uuid is null or history_id < $3)
       order by history_id desc limit $4 + 1`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId), cursor && uuidOf('hst', cursor), limit],
    );
    return rows.map(entryOf);
  }

  /** @throws ToolError HISTORY_ENTRY_NOT_FOUND, also for another campaign's entry */
  async get(organizationId: string, campaignId: string, historyId: string): Promise<FullHistoryEntry> {
    const rows: (Row & { content: FullHistoryEntry['content']; content_type: FullHistoryEntry['contentType'] })[] =
      await this.sql.query(
        `select history_id, saved_at, source, subject, content, content_type from campaign_history
         where organization_id = $1 and campaign_id = $2 and history_id = $3`,
        [uuidOf('org', organizationId), uuidOf('cmp', campaignId), uuidOf('hst', historyId)],
      );
    const [row] = rows;
    if (!row) throw new ToolError('HISTORY_ENTRY_NOT_FOUND', { id: historyId });
    return { ...entryOf(row), content: row.content, contentType: row.content_type };
  }
}
