import type { Named, NamesAsked } from '#contracts';
import { NamedRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

interface Row {
  workflow_id: string;
  name: string;
}
const namedOf = ({ workflow_id, name }: Row): Named => ({ id: wireId('wf', workflow_id), name });

export class WorkflowRepository {
  constructor(private readonly sql: Sql) {}

  /** Workflows by id or by name (without case), and so many of the newest; what does not exist is left out. */
  listNamed(organizationId: string, asked: NamesAsked): Promise<Named[]> {
    return new NamedRepository(this.sql, { table: 'workflow', prefix: 'wf' }).list(organizationId, asked);
  }

  /** ACTIVE workflows whose live version names one of these ids; an id stands in the graph as a text of its own. */
  async listActiveNaming(organizationId: string, ids: readonly string[]): Promise<Named[]> {
    const rows: Row[] = await this.sql.query(
      `select w.workflow_id, w.name from workflow w
       join workflow_version v on v.organization_id = $1 and v.workflow_id = w.workflow_id and v.version = w.published_version
       where w.organization_id = $1 and w.status = 'ACTIVE' and exists (
         select from unnest($2::text[]) id
         where strpos(v.graph::text || v.settings::text || v.success_goals::text, to_json(id)::text) > 0)
       order by w.workflow_id`,
      [uuidOf('org', organizationId), ids],
    );
    return rows.map(namedOf);
  }

  /** How many workflows there are, in any state. */
  async count(organizationId: string): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from workflow where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.n;
  }
}
