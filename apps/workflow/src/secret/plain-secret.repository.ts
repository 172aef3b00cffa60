import { jsonbText, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Graph } from '../rules/graph/graph.js';
import type { SecretScope } from './webhook-secrets.js';

/** A stored graph with secrets in plain; `version` is null for the draft. */
export interface PlainGraph extends SecretScope {
  version: number | null;
  graph: Graph;
}

const someMax = 50;
const isPlain = (column: string): string =>
  `jsonb_path_exists(${column}, '$.steps[*].config ? (@.kind == "WEBHOOK" && (@.secret.type() == "string" || exists(@.headers.*)))')`;

/**
 * Reads and seals graphs with secrets in plain: written before secrets were sealed, or by a process of the previous
 * version.
 */
export class PlainSecretRepository {
  constructor(private readonly sql: Sql) {}

  async listSome(): Promise<PlainGraph[]> {
    const rows: { organization_id: string; workflow_id: string; version: number | null; graph: Graph }[] =
      await this.sql.query(
        `(select organization_id, workflow_id, null::int as version, draft as graph from workflow where ${isPlain('draft')} limit $1)
         union all
         (select organization_id, workflow_id, version, graph from workflow_version where ${isPlain('graph')} limit $1)`,
        [someMax],
      );
    return rows.map(({ organization_id, workflow_id, version, graph }) => ({
      organizationId: wireId('org', organization_id),
      workflowId: wireId('wf', workflow_id),
      version,
      graph,
    }));
  }

  /** Replaces a graph by its sealed form, unless it has changed in the meantime; keeps the draft's updatedAt. */
  async updateSealed({ organizationId, workflowId, version, graph }: PlainGraph, sealed: Graph): Promise<void> {
    const [table, column] = version === null ? ['workflow', 'draft'] : ['workflow_version', 'graph'];
    await this.sql.query(
      `update ${table} set ${column} = $3 where organization_id = $1 and workflow_id = $2 and ${column} = $4
         ${version === null ? '' : 'and version = $5'}`,
      [
        ...[uuidOf('org', organizationId), uuidOf('wf', workflowId), jsonbText(sealed), jsonbText(graph)],
        ...(version === null ? [] : [version]),
      ],
    );
  }
}
