import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { nameKey } from '../text/text.js';
import type { Field } from './field.js';

export class FieldRepository {
  constructor(private readonly sql: Sql) {}

  /** Makes the fields that are missing. @returns all of them by name key, and which were created */
  async upsertByNames(
    organizationId: string,
    names: readonly string[],
  ): Promise<Map<string, Field & { created: boolean }>> {
    const byKey = new Map(names.map((name) => [nameKey(name), name.trim().normalize('NFC')]));
    // In key order, so that two calls with the same names in another order do not wait for each other in a ring.
    const keys = [...byKey.keys()].sort();
    const find = (): Promise<{ field_id: string; name: string; name_key: string }[]> =>
      this.sql.query(
        `select field_id, name, name_key from custom_field
         where organization_id = $1 and name_key = any($2) and deleted_at is null`,
        [uuidOf('org', organizationId), keys],
      );
    let rows = await find();
    const made = new Set<string>();
    if (rows.length < keys.length) {
      const inserted: { field_id: string }[] = await this.sql.query(
        `insert into custom_field (organization_id, field_id, name, name_key)
         select $1, u.id, u.name, u.key from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality u(id, name, key, place)
         order by u.place on conflict (organization_id, name_key) where deleted_at is null do nothing returning field_id`,
        [uuidOf('org', organizationId), keys.map(newUuid), keys.map((key) => byKey.get(key)), keys],
      );
      for (const { field_id } of inserted) made.add(field_id);
      rows = await find();
    }
    return new Map(
      rows.map(({ field_id, name, name_key }) => [
        name_key,
        { id: wireId('fld', field_id), key: field_id, name, created: made.has(field_id) },
      ]),
    );
  }
}
