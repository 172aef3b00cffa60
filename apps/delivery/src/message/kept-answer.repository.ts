import { uuidOf } from '#database';
import type { Sql } from '#database';
import type { SecretBox } from '#link-token';

/** Hours for which a kept answer may stand in for the domain service after the last contact about it. */
const validHours = 24;

const ownerOf = (organizationId: string, name: string) => `${organizationId} ${name}`;

/** Answers of the domain service, sealed, since some hold private keys. */
export class KeptAnswerRepository {
  constructor(
    private readonly sql: Sql,
    private readonly box: SecretBox,
  ) {}

  /** @param name what was asked; an answer of the same name is replaced */
  async upsert(organizationId: string, name: string, answer: unknown): Promise<void> {
    await this.sql.query(
      `insert into kept_answer (organization_id, name, sealed) values ($1, $2, $3)
       on conflict (organization_id, name) do update set sealed = excluded.sealed, confirmed_at = clock_timestamp()`,
      [uuidOf('org', organizationId), name, this.box.seal(JSON.stringify(answer), ownerOf(organizationId, name))],
    );
  }

  /** @returns undefined when the answer is unknown, or the last contact about it is more than 24 hours ago */
  async find(organizationId: string, name: string): Promise<unknown> {
    const rows: { sealed: Buffer }[] = await this.sql.query(
      `select sealed from kept_answer where organization_id = $1 and name = $2
         and confirmed_at > clock_timestamp() - interval '${validHours} hours'`,
      [uuidOf('org', organizationId), name],
    );
    return rows[0] && (JSON.parse(this.box.open(rows[0].sealed, ownerOf(organizationId, name))) as unknown);
  }

  async delete(organizationId: string, name: string): Promise<void> {
    await this.sql.query(`delete from kept_answer where organization_id = $1 and name = $2`, [
      uuidOf('org', organizationId),
      name,
    ]);
  }

  /** Deletes answers that are no longer valid, at most 10,000 at a time. @returns how many */
  async deleteOld(): Promise<number> {
    const [row]: [{ n: number }] = await this.sql.query(
      `with gone as (delete from kept_answer where ctid in (
         select ctid from kept_answer where confirmed_at < clock_timestamp() - interval '${validHours} hours' limit 10000)
       returning 1) select count(*)::int as n from gone`,
    );
    return row.n;
  }
}
