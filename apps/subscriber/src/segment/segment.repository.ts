import type { Filter, Named } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { nameKey } from '../text/text.js';

export interface Segment {
  id: string;
  name: string;
  filters: Filter[];
  createdAt: string;
  updatedAt: string;
}

/** Filters as they are stored, and what they name (`tag:tag_…`). */
export interface StoredFilters {
  filters: readonly Filter[];
  targets: readonly string[];
}

interface Row {
  segment_id: string;
  name: string;
  filters: Filter[];
  updated_at: Date;
}

const columns = 'segment_id, name, filters, updated_at';
const segmentOf = ({ segment_id, name, filters, updated_at }: Row): Segment => ({
  id: wireId('seg', segment_id),
  name,
  filters,
  createdAt: createdAtOf(segment_id).toISOString(),
  updatedAt: updated_at.toISOString(),
});

export class SegmentRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Locks the organization's segments until the end of the transaction: inclusions and uses of segments cannot change
   * between a check and its write.
   */
  async lockAll(organizationId: string): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('segments of ' || $1, 0))`, [organizationId]);
  }

  /** @returns null when the name is taken; case is ignored */
  async insert(organizationId: string, segment: StoredFilters & { name: string }): Promise<Segment | null> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into segment (organization_id, segment_id, name, name_key, filters, targets, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, name_key) do nothing returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), id, segment.name, nameKey(segment.name)],
        ...[JSON.stringify(segment.filters), segment.targets, createdAtOf(id)],
      ],
    );
    return rows[0] ? segmentOf(rows[0]) : null;
  }

  /** Copies the stored filters of a segment. @returns null when the name is taken; case is ignored */
  async insertCopy(organizationId: string, segmentId: string, name: string): Promise<Segment | null> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into segment (organization_id, segment_id, name, name_key, filters, targets, updated_at)
       select organization_id, $3, $4, $5, filters, targets, $6 from segment where organization_id = $1 and segment_id = $2
       on conflict (organization_id, name_key) do nothing returning ${columns}`,
      [uuidOf('org', organizationId), uuidOf('seg', segmentId), id, name, nameKey(name), createdAtOf(id)],
    );
    return rows[0] ? segmentOf(rows[0]) : null;
  }

  /** The name must have been found free under `lockAll`. */
  async update(
    organizationId: string,
    segmentId: string,
    { name, stored, now }: { name: string | undefined; stored: StoredFilters | null; now: Date },
  ): Promise<Segment> {
    const [rows]: [Row[]] = await this.sql.query(
      `update segment set name = coalesce($3, name), name_key = coalesce($4, name_key), filters = coalesce($5, filters),
         targets = coalesce($6, targets), updated_at = greatest($7, updated_at + interval '1 ms')
       where organization_id = $1 and segment_id = $2 returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), uuidOf('seg', segmentId), name, name === undefined ? null : nameKey(name)],
        ...[stored && JSON.stringify(stored.filters), stored?.targets, now],
      ],
    );
    if (!rows[0]) throw new ToolError('SEGMENT_NOT_FOUND', { id: segmentId });
    return segmentOf(rows[0]);
  }

  async delete(organizationId: string, segmentId: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `delete from segment where organization_id = $1 and segment_id = $2 returning 1`,
      [uuidOf('org', organizationId), uuidOf('seg', segmentId)],
    );
    return rows.length > 0;
  }

  /** @throws ToolError SEGMENT_NOT_FOUND for an unknown, malformed or another organization's id */
  async get(organizationId: string, segmentId: string): Promise<Segment> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from segment where organization_id = $1 and segment_id = $2`,
      [uuidOf('org', organizationId), uuidOf('seg', segmentId)],
    );
    if (!rows[0]) throw new ToolError('SEGMENT_NOT_FOUND', { id: segmentId });
    return segmentOf(rows[0]);
  }

  async findByName(organizationId: string, name: string): Promise<Segment | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from segment where organization_id = $1 and name_key = $2`,
      [uuidOf('org', organizationId), nameKey(name)],
    );
    return rows[0] ? segmentOf(rows[0]) : null;
  }

  async listByIds(organizationId: string, segmentIds: readonly string[]): Promise<Segment[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from segment where organization_id = $1 and segment_id = any($2) order by segment_id`,
      [uuidOf('org', organizationId), segmentIds.map((id) => uuidOf('seg', id))],
    );
    return rows.map(segmentOf);
  }

  async list(organizationId: string, limit: number): Promise<{ segments: Segment[]; total: number }> {
    const rows: (Row & { total: number })[] = await this.sql.query(
      `select ${columns}, count(*) over ()::int as total from segment where organization_id = $1
       order by segment_id desc limit $2`,
      [uuidOf('org', organizationId), limit],
    );
    return { segments: rows.map(segmentOf), total: rows[0]?.total ?? 0 };
  }

  async listNaming(organizationId: string, reference: string): Promise<Named[]> {
    const rows: { segment_id: string; name: string }[] = await this.sql.query(
      `select segment_id, name from segment where organization_id = $1 and targets @> array[$2] order by segment_id`,
      [uuidOf('org', organizationId), reference],
    );
    return rows.map(({ segment_id, name }) => ({ id: wireId('seg', segment_id), name }));
  }
}
