import * as z from 'zod/mini';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { wholeList } from '../data/whole-list.js';
import { number } from '../messages/format.js';
import { tagText } from '../messages/en/tags.js';
import { NamedRecords } from '../parts/named-records.js';
import { useScreenSearch } from '../parts/screen-search.js';

const searchPart = z.object({ q: z.optional(z.string().check(z.maxLength(200))) });

/** Every tag with the number of its subscribers; a row leads to them. */
export function TagsPage() {
  const [{ q = '' }, setSearch] = useScreenSearch(searchPart);
  const createTag = useAction(actions.create_tag());
  const renameTag = useAction(actions.rename_tag());
  const deleteTag = useAction(actions.delete_tag());
  return (
    <NamedRecords
      text={tagText}
      icon="tag"
      tool="list_tags"
      query={wholeList('list_tags', {})}
      rowsOf={({ tags }) => tags}
      search={q}
      onSearch={(search) => setSearch({ q: search || undefined }, { replace: true })}
      columns={[
        {
          id: 'count',
          header: tagText('subscribers'),
          width: '7rem',
          align: 'end',
          phone: 'aside',
          cell: ({ subscribersCount }) => number(subscribersCount),
        },
      ]}
      target={({ name }) => ({ screen: 'subscribers', search: { tag: name } })}
      calls={{
        create: (name) => createTag.run({ name }),
        rename: (tagId, name) => renameTag.run({ tagId, name }),
        remove: (tagId) => deleteTag.run({ tagId }, { button: tagText('delete') }),
      }}
    />
  );
}
