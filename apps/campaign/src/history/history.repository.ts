import { jsonbText, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import type { Campaign } from '../campaign/campaign.js';
import type { FullHistoryEntry, HistoryEntry, HistorySource } from './history.js';

/** Newest entries kept per campaign; older ones are deleted. */
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

  /**
   * Records the state after a save; the same transaction must have locked the campaign's row. An autosave replaces the
   * previous one within a minute of that one's first save, so that an hour of writing leaves sixty entries.
   */
  async insert(organizationId: string, campaign: Campaign, source: HistorySource): Promise<void> {
    const { id, subject, content, contentType, updatedAt } = campaign;
    const key = [uuidOf('org', organizationId), uuidOf('cmp', id)];
    const state = [updatedAt, subject, jsonbText(content), contentType];
    if (source === 'autosave' && (await this.#replaceAutosave(key, state))) return;
    await this.sql.query(
      `insert into campaign_history (organization_id, campaign_id, history_id, saved_at, source, subject, content, content_type)
       values ($1, $2, $7, $3, $8, $4, $5, $6)`,
      [...key, ...state, newUuid(), source],
    );
    await this.sql.query(
      `delete from campaign_history where organization_id = $1 and campaign_id = $2 and history_id <= (
         select history_id from campaign_history where organization_id = $1 and campaign_id = $2
         order by history_id desc offset $3 limit 1)`,
      [...key, entriesKept],
    );
  }

  /** @returns false when the newest entry cannot be continued; ids hold the time of their first save */
  async #replaceAutosave(key: readonly unknown[], state: readonly unknown[]): Promise<boolean> {
    const [rows]: [object[], number] = await this.sql.query(
      `update campaign_history set saved_at = $3, subject = $4, content = $5, content_type = $6
       where organization_id = $1 and campaign_id = $2 and source = 'autosave'
         and history_id >= uuid_floor(clock_timestamp() - interval '1 minute')
         and history_id = (select history_id from campaign_history where organization_id = $1 and campaign_id = $2
           order by history_id desc limit 1)
       returning history_id`,
      [...key, ...state],
    );
    return rows.length > 0;
  }

  /**
   * Lists entries after `cursor` (an entry's id, which may be deleted), newest first; one more than `limit` when there
   * are more.
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
