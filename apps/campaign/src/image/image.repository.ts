import { createdAtOf, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Image } from './image.js';
import { containsSql, searchParameters } from '../search/search.js';
import type { ImageFacts } from './read-image.js';

interface Row {
  image_id: string;
  name: string;
  description: string | null;
  content_type: Image['contentType'];
  width: number;
  height: number;
  bytes: number;
}
const columns = 'i.image_id, i.name, i.description, i.content_type, i.width, i.height, i.bytes';
const imageOf = (row: Row): Image => ({
  id: wireId('img', row.image_id),
  name: row.name,
  description: row.description,
  contentType: row.content_type,
  width: row.width,
  height: row.height,
  bytes: row.bytes,
  createdAt: createdAtOf(row.image_id),
});

export interface NewImage extends ImageFacts {
  name: string;
  description: string | null;
  bytes: number;
  /** Null when the bytes are in the object storage, under the id. */
  content: Buffer | null;
}

export class ImageRepository {
  constructor(private readonly sql: Sql) {}

  /** Inserts an image with its bytes, in one statement; `id` is an unused wire id. */
  async insert(organizationId: string, id: string, image: NewImage): Promise<Image> {
    const rows: Row[] = await this.sql.query(
      `with data as (
         insert into image_data (organization_id, image_id, content_type, content) values ($1, $2, $5, $9))
       insert into image as i (organization_id, image_id, name, description, content_type, width, height, bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), uuidOf('img', id), image.name, image.description, image.contentType],
        ...[image.width, image.height, image.bytes, image.content],
      ],
    );
    return imageOf(rows[0]!);
  }

  /** Returns one page, newest first, and the number of matches; `query` in name or description, in any case. */
  async list(
    organizationId: string,
    asked: { query: string | null; page: number; pageSize: number },
  ): Promise<{ images: Image[]; total: number }> {
    const rows: (Row & { total: number; image_id: string | null })[] = await this.sql.query(
      `with matching as materialized (
         select image_id from image where organization_id = $1
           and ${containsSql(['name', `coalesce(description, '')`], '$2', '$3')})
       select ${columns}, t.total from (select count(*)::int as total from matching) t
       left join (select image_id from matching order by image_id desc limit $4 offset $5) p on true
       left join image i on i.organization_id = $1 and i.image_id = p.image_id order by i.image_id desc`,
      [
        ...[uuidOf('org', organizationId), ...searchParameters(asked.query)],
        ...[asked.pageSize, (asked.page - 1) * asked.pageSize],
      ],
    );
    return { images: rows.filter((row) => row.image_id).map(imageOf), total: rows[0]!.total };
  }

  /** @returns null for an unknown, malformed or another organization's id */
  async find(organizationId: string, imageId: string): Promise<Image | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from image i where i.organization_id = $1 and i.image_id = $2`,
      [uuidOf('org', organizationId), uuidOf('img', imageId)],
    );
    return rows[0] ? imageOf(rows[0]) : null;
  }

  /** Updates the description (empty clears), and the name if given. @returns null as `find` does */
  async updateText(
    organizationId: string,
    imageId: string,
    { description, name }: { description: string; name: string | undefined },
  ): Promise<Image | null> {
    const [rows]: [Row[], number] = await this.sql.query(
      `update image i set description = nullif($3, ''), name = coalesce($4, name)
       where organization_id = $1 and image_id = $2 returning ${columns}`,
      [uuidOf('org', organizationId), uuidOf('img', imageId), description, name ?? null],
    );
    return rows[0] ? imageOf(rows[0]) : null;
  }

  /** Names the campaigns and snippets whose content has the image, at most five, and counts them. */
  async listUsers(organizationId: string, imageId: string): Promise<{ names: string[]; total: number }> {
    const rows: { name: string; total: number }[] = await this.sql.query(
      `select u.name, count(*) over ()::int as total from (
         select name, campaign_id as id from campaign where organization_id = $1 and position($2 in content::text) > 0
         union all select name, snippet_id from snippet where organization_id = $1 and position($2 in content::text) > 0) u
       order by u.id desc limit 5`,
      [uuidOf('org', organizationId), imageId],
    );
    return { names: rows.map(({ name }) => name), total: rows[0]?.total ?? 0 };
  }

  async delete(organizationId: string, imageId: string): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `with gone as (delete from image where organization_id = $1 and image_id = $2 returning image_id),
       data as (delete from image_data where image_id in (select image_id from gone))
       select from gone`,
      [uuidOf('org', organizationId), uuidOf('img', imageId)],
    );
    return rows.length > 0;
  }

  /**
   * Returns an image of any organization, since recipients send nothing but its id; null bytes are in the object
   * storage.
   */
  async findFile(imageId: string): Promise<{ contentType: string; content: Buffer | null } | null> {
    const rows: { content_type: string; content: Buffer | null }[] = await this.sql.query(
      `select content_type, content from image_data where image_id = $1`,
      [uuidOf('img', imageId)],
    );
    return rows[0] ? { contentType: rows[0].content_type, content: rows[0].content } : null;
  }
}
