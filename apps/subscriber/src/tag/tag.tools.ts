import { tagTools } from '#contracts';
import type { CallContext } from '#service-host';
import { pluralize, implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { inWords } from '../reference/reference.client.js';
import type { ReferenceClient } from '../reference/reference.client.js';
import { SegmentRepository } from '../segment/segment.repository.js';
import type { Tag } from './tag.js';
import { TagRepository } from './tag.repository.js';

interface Which {
  tagId?: string | undefined;
  name?: string | undefined;
}

export function implementTagTools({ manager, transaction }: CallContext, { usage }: { usage: ReferenceClient }) {
  const tags = new TagRepository(manager);
  const getUnused = async (which: Which, caller: Caller): Promise<Tag> => {
    const tag = await getTag(tags, caller.organizationId, which);
    assertUnused(tag, await usage.list(caller, referenceTo(tag)));
    return tag;
  };

  return implement(
    tagTools,
    {
      list_tags: async (_args, caller) => {
        const all = await tags.list(caller.organizationId);
        return { tags: all, total: all.length };
      },

      create_tag: async ({ name }, caller) => {
        const [tag] = await tags.upsertByNames(caller.organizationId, [name]);
        if (!tag!.created) throw new ToolError('TAG_NAME_TAKEN', { name: tag!.name, tagId: tag!.id });
        return { tag: { id: tag!.id, name: tag!.name } };
      },

      get_or_create_tags: async ({ names }, caller) => ({
        tags: await tags.upsertByNames(caller.organizationId, names),
      }),

      rename_tag: async ({ tagId, name }, { organizationId }) => {
        const tag = await renameTag(tags, organizationId, { tag: await getTag(tags, organizationId, { tagId }), name });
        return { tag: { ...tag, subscribersCount: await tags.countHolders(organizationId, tag.id) } };
      },

      delete_tag: async (which, caller) => {
        const { organizationId } = caller;
        const tag = await getUnused(which, caller);
        return await transaction(async (inner) => {
          const own = new TagRepository(inner.manager);
          const removedFrom = await own.countHolders(organizationId, tag.id);
          if (!(await own.updateDeleted(organizationId, tag.id))) throw new ToolError('TAG_NOT_FOUND', { id: tag.id });
          // A transaction that saves a segment with the tag holds the tag's row, so this list includes it.
          const segments = await new SegmentRepository(inner.manager).listNaming(organizationId, referenceTo(tag));
          assertUnused(tag, inWords('segment', segments));
          return { deleted: true as const, tag, removedFrom };
        });
      },
    },
    {
      delete_tag: async (which, caller) => {
        const tag = await getUnused(which, caller);
        const holders = await tags.countHolders(caller.organizationId, tag.id);
        return {
          action: 'Delete the tag',
          subject: { noun: 'tag', id: tag.id, name: tag.name, updatedAt: null },
          message: `Deletes the tag "${tag.name}" permanently and removes it from ${pluralize(holders, 'subscriber')}.`,
        };
      },
    },
  );
}

export async function renameTag(
  tags: TagRepository,
  organizationId: string,
  { tag, name }: { tag: Tag; name: string },
): Promise<Tag> {
  if (await tags.updateName(organizationId, tag.id, name)) return { ...tag, name };
  const other = await tags.findByName(organizationId, name);
  if (!other) throw new ToolError('TAG_NOT_FOUND', { id: tag.id });
  throw new ToolError('TAG_NAME_TAKEN', { name: other.name, tagId: other.id });
}

const referenceTo = ({ id }: Tag): string => `tag:${id}`;

function assertUnused({ name }: Tag, users: readonly string[]): void {
  if (users.length > 0) throw new ToolError('TAG_IN_USE', { name, users });
}

async function getTag(tags: TagRepository, organizationId: string, { tagId, name }: Which): Promise<Tag> {
  const names = ['tagId', 'name'];
  if (tagId === undefined && name === undefined) throw new ToolError('IDENTIFIER_MISSING', { names });
  const byId = tagId === undefined ? null : await tags.findById(organizationId, tagId);
  const byName = name === undefined ? null : await tags.findByName(organizationId, name);
  const tag = byId ?? byName;
  if (!tag) throw new ToolError('TAG_NOT_FOUND', tagId === undefined ? { id: name!, by: 'name' } : { id: tagId });
  const wanted = (tagId === undefined ? 0 : 1) + (name === undefined ? 0 : 1);
  if (wanted === 2 && byId?.id !== byName?.id) throw new ToolError('IDENTIFIERS_DISAGREE', { names });
  return tag;
}
