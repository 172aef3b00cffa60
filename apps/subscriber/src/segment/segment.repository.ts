import type { Filter } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { nameKey } from '../text/text.js';

export interface Segment {
  id: string;
  name: string;
  filters: Filter[];
  createdAt: string;
  updatedAt: string;
}

interface Row {
  segment_id: string;
  name: string;
  filters: Filter[];
  updated_at: Date;
}

const segmentOf = ({ segment_id, name, filters, updated_at }: Row): Segment => ({
  id: wireId('seg', segment_id),
  name,
  filters,
  createdAt: createdAtOf(segment_id).toISOString(),
  updatedAt: updated_at.toISOString(),
});

export class SegmentRepository {
  constructor(private readonly sql: Sql) {}

  /** @param targets what the filters name. @returns null when the name is taken, whatever its case */
  async insert(
    organizationId: string,
    segment: { name: string; filters: readonly Filter[]; targets: readonly string[]; now: Date },
  ): Promise<Segment | null> {
    const rows: Row[] = await this.sql.query(
      `insert into segment (organization_id, segment_id, name, name_key, filters, targets, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, name_key) do nothing
       returning segment_id, name, filters, updated_at`,
      [
        uuidOf('org', organizationId),
        newUuid(),
        segment.name,
        nameKey(segment.name),
        JSON.stringify(segment.filters),
        segment.targets,
        segment.now,
      ],
    );
    return rows[0] ? segmentOf(rows[0]) : null;
  }

  /** @returns null when no segment has this name, whatever its case */
  async findByName(organizationId: string, name: string): Promise<Segment | null> {
    const rows: Row[] = await this.sql.query(
      `select segment_id, name, filters, updated_at from segment where organization_id = $1 and name_key = $2`,
      [uuidOf('org', organizationId), nameKey(name)],
    );
    return rows[0] ? segmentOf(rows[0]) : null;
  }
}
