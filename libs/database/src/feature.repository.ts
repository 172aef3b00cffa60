import type { FeatureName } from '#contracts';
import type { Sql } from './schema-migrator.js';

/** Which formats may be written, since all processes that may read them know them. */
export class FeatureRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Whether a format may be written. Once enabled a feature stays so, unless an operator disables it: a caller may
   * remember `true` for some seconds.
   */
  async isEnabled(name: FeatureName): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(`select from feature where name = $1 and enabled_at is not null`, [
      name,
    ]);
    return rows.length > 0;
  }

  /** The features that were decided, with the instant at which each was enabled; null for one that an operator disabled. */
  async list(): Promise<Map<string, Date | null>> {
    const rows: { name: string; enabled_at: Date | null }[] = await this.sql.query(
      `select name, enabled_at from feature`,
    );
    return new Map(rows.map(({ name, enabled_at }) => [name, enabled_at]));
  }

  /** Enables a feature, unless it was enabled or disabled before. @returns whether this call enabled it */
  async enable(name: FeatureName): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `insert into feature (name, enabled_at) values ($1, clock_timestamp()) on conflict do nothing returning name`,
      [name],
    );
    return rows.length > 0;
  }

  /** Disables a feature until `allow`. What was written in its format is still read. */
  async disable(name: FeatureName): Promise<void> {
    await this.sql.query(
      `insert into feature (name, enabled_at) values ($1, null) on conflict (name) do update set enabled_at = null`,
      [name],
    );
  }

  /** Lets a disabled feature be enabled again once all replicas know it. */
  async allow(name: FeatureName): Promise<void> {
    await this.sql.query(`delete from feature where name = $1 and enabled_at is null`, [name]);
  }
}
