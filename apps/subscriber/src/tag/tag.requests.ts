import { subscriberTagRequests } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { Tag } from './tag.js';
import type { TagRepository } from './tag.repository.js';
import { renameTag } from './tag.tools.js';

export function implementTagRequests({ tags }: { tags: TagRepository }) {
  const get = async (organizationId: string, text: string): Promise<Tag> => {
    const tag = (await tags.findById(organizationId, text)) ?? (await tags.findByName(organizationId, text));
    if (!tag) throw new ToolError('TAG_NOT_FOUND', { id: text, by: 'id or name' });
    return tag;
  };
  const counted = async (organizationId: string, tag: Tag) => ({
    tag: { ...tag, subscribersCount: await tags.countHolders(organizationId, tag.id) },
  });
  return implement(subscriberTagRequests, {
    get_tag: async ({ tag }, { organizationId }) => await counted(organizationId, await get(organizationId, tag)),

    rename_tag: async ({ tag: text, name }, { organizationId }) => {
      const tag = await get(organizationId, text);
      return await counted(organizationId, await renameTag(tags, organizationId, { tag, name }));
    },
  });
}
