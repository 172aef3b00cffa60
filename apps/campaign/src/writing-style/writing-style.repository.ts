import { uuidOf } from '#database';
import type { Sql } from '#database';

const parts = ['name', 'persona', 'audience', 'vocabulary', 'rules'] as const;

/** An organization's writing style; an empty text gives no instruction. */
export type WritingStyle = Record<(typeof parts)[number], string>;

const columns = parts.map((part) => `coalesce(${part}, '') as ${part}`).join(', ');
const silence: WritingStyle = { name: '', persona: '', audience: '', vocabulary: '', rules: '' };

export class WritingStyleRepository {
  constructor(private readonly sql: Sql) {}

  async get(organizationId: string): Promise<WritingStyle> {
    const rows: WritingStyle[] = await this.sql.query(
      `select ${columns} from writing_style where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0] ?? silence;
  }

  /** Updates the given fields; undefined ones keep their values. @returns all fields */
  async upsert(
    organizationId: string,
    change: { [K in keyof WritingStyle]?: string | undefined },
    now: Date,
  ): Promise<WritingStyle> {
    const rows: WritingStyle[] = await this.sql.query(
      `insert into writing_style as w (organization_id, updated_at, ${parts.join(', ')}) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (organization_id) do update set updated_at = $2,
         ${parts.map((part) => `${part} = coalesce(excluded.${part}, w.${part})`).join(', ')}
       returning ${columns}`,
      [uuidOf('org', organizationId), now, ...parts.map((part) => change[part]?.replaceAll('\0', '') ?? null)],
    );
    return rows[0]!;
  }
}
