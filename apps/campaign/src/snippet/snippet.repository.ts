import { createdAtOf, jsonbText, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Snippet } from '#content';
import { nameKey, ToolError } from '#tool-call';
import type { Campaign } from '../campaign/campaign.js';
import { campaignColumns, campaignOf } from '../campaign/campaign.repository.js';
import type { CampaignRow } from '../campaign/campaign.repository.js';
import type { SnippetText, StoredSnippet } from './snippet.js';

interface Row {
  snippet_id: string;
  name: string;
  description: string | null;
  content: StoredSnippet['content'];
  archived_at: Date | null;
  updated_at: Date;
}
const columns = 'snippet_id, name, description, content, archived_at, updated_at';
const snippetOf = (row: Row): StoredSnippet => ({
  id: wireId('snp', row.snippet_id),
  name: row.name,
  description: row.description,
  content: row.content,
  archived: row.archived_at !== null,
  createdAt: createdAtOf(row.snippet_id),
  updatedAt: row.updated_at,
});

export const isNameViolation = (error: unknown): boolean =>
  (error as { driverError?: { constraint?: unknown } } | null)?.driverError?.constraint === 'snippet_name';

export class SnippetRepository {
  constructor(private readonly sql: Sql) {}

  /** Returns snippets by id or by name, also archived ones, keyed by id; unknown references are left out. */
  async listByReferences(organizationId: string, references: readonly string[]): Promise<Map<string, Snippet>> {
    if (references.length === 0) return new Map();
    const rows: { snippet_id: string; name: string; content: Snippet['content'] }[] = await this.sql.query(
      `select snippet_id, name, content from snippet
       where organization_id = $1 and (snippet_id = any($2::uuid[]) or name_key = any($3::text[]))`,
      [
        uuidOf('org', organizationId),
        references.map((reference) => uuidOf('snp', reference)).filter((id) => id !== null),
        references.map(nameKey),
      ],
    );
    return new Map(rows.map(({ snippet_id, name, content }) => [wireId('snp', snippet_id), { name, content }]));
  }

  /**
   * Locks the names of snippets until the transaction ends, so that none is renamed between a mail's reading and its
   * saving. @returns false when one has already been renamed
   */
  async lockNames(organizationId: string, read: Record<string, Pick<Snippet, 'name'>>): Promise<boolean> {
    const ids = Object.keys(read);
    if (ids.length === 0) return true;
    const rows: { snippet_id: string; name_key: string }[] = await this.sql.query(
      `select snippet_id, name_key from snippet where organization_id = $1 and snippet_id = any($2::uuid[])
       order by snippet_id for share`,
      [uuidOf('org', organizationId), ids.map((id) => uuidOf('snp', id))],
    );
    return rows.every(({ snippet_id, name_key }) => nameKey(read[wireId('snp', snippet_id)]!.name) === name_key);
  }

  async updateUses(organizationId: string, campaignId: string, snippetIds: readonly string[]): Promise<void> {
    await this.sql.query(
      `with gone as (delete from snippet_use where organization_id = $1 and campaign_id = $2 and snippet_id <> all($3::uuid[]))
       insert into snippet_use (organization_id, snippet_id, campaign_id) select $1, unnest($3::uuid[]), $2 on conflict do nothing`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId), snippetIds.map((id) => uuidOf('snp', id))],
    );
  }

  async list(organizationId: string, { archived }: { archived: boolean }): Promise<StoredSnippet[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from snippet where organization_id = $1 and ($2 or archived_at is null) order by name_key`,
      [uuidOf('org', organizationId), archived],
    );
    return rows.map(snippetOf);
  }

  /** With `lock`, the snippet cannot be changed until the transaction ends, and no mail that names it can be saved. */
  async get(organizationId: string, snippetId: string, { lock = false } = {}): Promise<StoredSnippet> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from snippet where organization_id = $1 and snippet_id = $2 ${lock ? 'for update' : ''}`,
      [uuidOf('org', organizationId), uuidOf('snp', snippetId)],
    );
    if (!rows[0]) throw new ToolError('SNIPPET_NOT_FOUND', { id: snippetId });
    return snippetOf(rows[0]);
  }

  async findId(organizationId: string, name: string): Promise<string | null> {
    const rows: { snippet_id: string }[] = await this.sql.query(
      `select snippet_id from snippet where organization_id = $1 and name_key = $2`,
      [uuidOf('org', organizationId), nameKey(name)],
    );
    return rows[0] ? wireId('snp', rows[0].snippet_id) : null;
  }

  /** Inserts a snippet, created at the time of its id. @throws a violation of `snippet_name` when the name is taken */
  async insert(organizationId: string, { name, description, content }: SnippetText): Promise<StoredSnippet> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into snippet (organization_id, snippet_id, name, name_key, description, content, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), id, name, nameKey(name), description],
        ...[jsonbText(content), createdAtOf(id)],
      ],
    );
    return snippetOf(rows[0]!);
  }

  /**
   * Updates the given fields; undefined ones keep their values. @throws a violation of `snippet_name` when the name is
   * taken; ToolError SNIPPET_NOT_FOUND
   */
  async update(
    organizationId: string,
    snippetId: string,
    { name, description, content }: { [K in keyof SnippetText]: SnippetText[K] | undefined },
    now: Date,
  ): Promise<StoredSnippet> {
    const [rows]: [Row[], number] = await this.sql.query(
      `update snippet set name = coalesce($3, name), name_key = coalesce($4, name_key),
         description = case when $5::text is null then description else nullif($5, '') end,
         content = coalesce($6::jsonb, content), updated_at = greatest($7, updated_at + interval '1 ms')
       where organization_id = $1 and snippet_id = $2 returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), uuidOf('snp', snippetId), name ?? null, name ? nameKey(name) : null],
        ...[description ?? null, content ? jsonbText(content) : null, now],
      ],
    );
    if (!rows[0]) throw new ToolError('SNIPPET_NOT_FOUND', { id: snippetId });
    return snippetOf(rows[0]);
  }

  async updateArchived(
    organizationId: string,
    snippetId: string,
    { archived }: { archived: boolean },
    now: Date,
  ): Promise<StoredSnippet> {
    await this.sql.query(
      `update snippet set archived_at = case when $3 then $4::timestamptz end, updated_at = greatest($4, updated_at + interval '1 ms')
       where organization_id = $1 and snippet_id = $2 and (archived_at is not null) <> $3`,
      [uuidOf('org', organizationId), uuidOf('snp', snippetId), archived, now],
    );
    return await this.get(organizationId, snippetId);
  }

  /** Lists ids of the campaigns with a snippet, newest first, at most 1,000. */
  async listUses(organizationId: string, snippetId: string): Promise<string[]> {
    const rows: { campaign_id: string }[] = await this.sql.query(
      `select campaign_id from snippet_use where organization_id = $1 and snippet_id = $2 order by campaign_id desc limit 1000`,
      [uuidOf('org', organizationId), uuidOf('snp', snippetId)],
    );
    return rows.map(({ campaign_id }) => wireId('cmp', campaign_id));
  }

  /** Lists campaigns that use a snippet, may still be sent, and name any snippet in their text. */
  async listNamingInText(organizationId: string, snippetId: string): Promise<Campaign[]> {
    const rows: CampaignRow[] = await this.sql.query(
      `select ${campaignColumns} from snippet_use u join campaign c using (organization_id, campaign_id)
       where u.organization_id = $1 and u.snippet_id = $2 and c.status in ('DRAFT', 'SCHEDULED', 'ARCHIVED')
         and (c.subject || ' ' || coalesce(c.preview, '') || ' ' || c.content::text) ilike '%snippet%:%'`,
      [uuidOf('org', organizationId), uuidOf('snp', snippetId)],
    );
    return rows.map(campaignOf);
  }
}
