import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Snippet } from '#content';
import { snippetNameKey } from './snippet.js';

export class SnippetRepository {
  constructor(private readonly sql: Sql) {}

  /** Snippets by id or by name, archived ones too, keyed by id; what names none is left out. */
  async listByReferences(organizationId: string, references: readonly string[]): Promise<Map<string, Snippet>> {
    if (references.length === 0) return new Map();
    const rows: { snippet_id: string; name: string; content: Snippet['content'] }[] = await this.sql.query(
      `select snippet_id, name, content from snippet
       where organization_id = $1 and (snippet_id = any($2::uuid[]) or name_key = any($3::text[]))`,
      [
        uuidOf('org', organizationId),
        references.map((reference) => uuidOf('snp', reference)).filter((id) => id !== null),
        references.map(snippetNameKey),
      ],
    );
    return new Map(rows.map(({ snippet_id, name, content }) => [wireId('snp', snippet_id), { name, content }]));
  }

  /** Notes which snippets a campaign names, in place of what was noted before. */
  async updateUses(organizationId: string, campaignId: string, snippetIds: readonly string[]): Promise<void> {
    await this.sql.query(
      `with gone as (delete from snippet_use where organization_id = $1 and campaign_id = $2 and snippet_id <> all($3::uuid[]))
       insert into snippet_use (organization_id, snippet_id, campaign_id) select $1, unnest($3::uuid[]), $2 on conflict do nothing`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId), snippetIds.map((id) => uuidOf('snp', id))],
    );
  }
}
