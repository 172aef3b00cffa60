import { tagTools } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { TagRepository } from './tag.repository.js';

export const implementTagTools = ({ tags }: { tags: TagRepository }) =>
  implement(tagTools, {
    list_tags: async (_args, caller) => {
      const all = await tags.list(caller.organizationId);
      return { tags: all, total: all.length };
    },

    create_tag: async ({ name }, caller) => {
      const [tag] = await tags.upsertByNames(caller.organizationId, [name]);
      if (!tag!.created) throw new ToolError('TAG_NAME_TAKEN', { name: tag!.name, tagId: tag!.id });
      return { tag: { id: tag!.id, name: tag!.name } };
    },

    get_or_create_tags: async ({ names }, caller) => ({ tags: await tags.upsertByNames(caller.organizationId, names) }),
  });
