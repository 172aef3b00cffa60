import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { customFieldsMax } from '#contracts';
import { nameKey, namesByKey } from '../text/text.js';
import { assertRoom } from './field.js';
import type { Field } from './field.js';

interface Row {
  field_id: string;
  name: string;
}
const fieldOf = ({ field_id, name }: Row): Field => ({ id: wireId('fld', field_id), key: field_id, name });

export class FieldRepository {
  constructor(private readonly sql: Sql) {}

  async list(organizationId: string): Promise<Field[]> {
    const rows: Row[] = await this.sql.query(
      `select field_id, name from custom_field where organization_id = $1 and deleted_at is null order by name_key`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(fieldOf);
  }

  /** All names, by name, and the former ones that still mean a field, in no order. */
  async listNames(organizationId: string): Promise<{ names: string[]; formerNames: string[] }> {
    const rows: { name: string; former_names: string[] }[] = await this.sql.query(
      `select name, former_names from custom_field
       where organization_id = $1 and deleted_at is null order by name_key`,
      [uuidOf('org', organizationId)],
    );
    const taken = new Set(rows.map(({ name }) => nameKey(name)));
    const formerNames = rows.flatMap(({ former_names }) => former_names).filter((name) => !taken.has(nameKey(name)));
    return { names: rows.map(({ name }) => name), formerNames };
  }

  async findById(organizationId: string, fieldId: string): Promise<Field | null> {
    const rows: Row[] = await this.sql.query(
      `select field_id, name from custom_field where organization_id = $1 and field_id = $2 and deleted_at is null`,
      [uuidOf('org', organizationId), uuidOf('fld', fieldId)],
    );
    return rows[0] ? fieldOf(rows[0]) : null;
  }

  /** @returns null when no field has this name; case is ignored */
  async findByName(organizationId: string, name: string): Promise<Field | null> {
    const rows: Row[] = await this.sql.query(
      `select field_id, name from custom_field where organization_id = $1 and name_key = $2 and deleted_at is null`,
      [uuidOf('org', organizationId), nameKey(name)],
    );
    return rows[0] ? fieldOf(rows[0]) : null;
  }

  /**
   * Renames a field; content may still use the former name, until another field takes it.
   * @returns null when there is no such field
   * @throws QueryFailedError of a unique violation when another field took the name at this moment
   */
  async updateName(organizationId: string, fieldId: string, name: string): Promise<Field | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update custom_field set name = $3, name_key = $4,
         former_names = case when name = $3 then former_names else array_append(array_remove(former_names, $3), name) end
       where organization_id = $1 and field_id = $2 and deleted_at is null returning field_id, name`,
      [uuidOf('org', organizationId), uuidOf('fld', fieldId), name, nameKey(name)],
    );
    return rows[0] ? fieldOf(rows[0]) : null;
  }

  /** Reads all of them: for rare calls only. */
  async countHolders(organizationId: string, fieldId: string): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from subscriber where organization_id = $1 and custom ? $2::text`,
      [uuidOf('org', organizationId), uuidOf('fld', fieldId)],
    );
    return rows[0]!.n;
  }

  /** Hides a field and frees its name; a job removes its values. @returns false when it is gone already */
  async updateDeleted(organizationId: string, fieldId: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update custom_field set deleted_at = clock_timestamp()
       where organization_id = $1 and field_id = $2 and deleted_at is null returning 1`,
      [uuidOf('org', organizationId), uuidOf('fld', fieldId)],
    );
    return rows.length > 0;
  }

  /** Names by the stored key of each field, former ones first. */
  async listNamesByKey(organizationId: string): Promise<Map<string, string[]>> {
    const rows: { field_id: string; names: string[] }[] = await this.sql.query(
      `select field_id, former_names || name as names from custom_field where organization_id = $1 and deleted_at is null`,
      [uuidOf('org', organizationId)],
    );
    return new Map(rows.map(({ field_id, names }) => [field_id, names]));
  }

  /** The same as `getRoom`, but concurrent transactions of the organization that lock this wait for this one. */
  async getRoomLocked(organizationId: string): ReturnType<FieldRepository['getRoom']> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('custom fields ' || $1, 0))`, [organizationId]);
    return await this.getRoom(organizationId);
  }

  async getRoom(organizationId: string): Promise<{ limit: number; used: number; nameKeys: ReadonlySet<string> }> {
    const rows: { limit: number | null; name_keys: string[] }[] = await this.sql.query(
      `select (select custom_fields from organization_limit where organization_id = $1) as limit,
         array(select name_key from custom_field where organization_id = $1 and deleted_at is null) as name_keys`,
      [uuidOf('org', organizationId)],
    );
    const { limit, name_keys } = rows[0]!;
    return { limit: limit ?? customFieldsMax, used: name_keys.length, nameKeys: new Set(name_keys) };
  }

  async updateLimit(organizationId: string, limit: number | null): Promise<void> {
    await this.sql.query(
      limit === null
        ? `delete from organization_limit where organization_id = $1`
        : `insert into organization_limit (organization_id, custom_fields) values ($1, $2)
           on conflict (organization_id) do update set custom_fields = excluded.custom_fields`,
      [uuidOf('org', organizationId), ...(limit === null ? [] : [limit])],
    );
  }

  async listByKeys(organizationId: string, keys: readonly string[]): Promise<Map<string, Field & { created: false }>> {
    // An organization rarely has more fields than the default limit: to read all costs less than to send more keys.
    const isAll = keys.length > customFieldsMax;
    const rows: (Row & { name_key: string })[] = await this.sql.query(
      `select field_id, name, name_key from custom_field
       where organization_id = $1 and deleted_at is null${isAll ? '' : ' and name_key = any($2)'}`,
      [uuidOf('org', organizationId), ...(isAll ? [] : [keys])],
    );
    const fields = rows.map((row) => [row.name_key, { ...fieldOf(row), created: false }] as const);
    if (!isAll) return new Map(fields);
    const wanted = new Set(keys);
    return new Map(fields.filter(([key]) => wanted.has(key)));
  }

  /**
   * Creates the missing fields, or none when there would be too many.
   * @returns all of them by name key, and which were created
   */
  async upsertByNames(
    organizationId: string,
    names: readonly string[],
  ): Promise<Map<string, Field & { created: boolean }>> {
    const byKey = namesByKey(names);
    // In key order, so that two calls with the same names in another order cannot deadlock.
    const keys = [...byKey.keys()].sort();
    let fields = await this.listByKeys(organizationId, keys);
    if (fields.size < keys.length) {
      const assertFits = ({ nameKeys, ...room }: Awaited<ReturnType<FieldRepository['getRoom']>>) =>
        assertRoom(room, keys.filter((key) => !nameKeys.has(key)).length);
      // Only a call that may fit waits for others.
      assertFits(await this.getRoom(organizationId));
      assertFits(await this.getRoomLocked(organizationId));
    }
    const made = new Set<string>();
    // A field that is deleted between the two statements has freed its name.
    while (fields.size < keys.length) {
      const inserted: { field_id: string }[] = await this.sql.query(
        `insert into custom_field (organization_id, field_id, name, name_key)
         select $1, u.id, u.name, u.key from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality u(id, name, key, place)
         order by u.place on conflict (organization_id, name_key) where deleted_at is null do nothing returning field_id`,
        [uuidOf('org', organizationId), keys.map(newUuid), keys.map((key) => byKey.get(key)), keys],
      );
      for (const { field_id } of inserted) made.add(field_id);
      fields = await this.listByKeys(organizationId, keys);
    }
    return new Map([...fields].map(([key, field]) => [key, { ...field, created: made.has(field.key) }]));
  }
}
