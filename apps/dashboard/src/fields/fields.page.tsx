import * as z from 'zod/mini';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { wholeList } from '../data/whole-list.js';
import { fieldText } from '../messages/en/fields.js';
import { NamedRecords } from '../parts/named-records.js';
import { useScreenSearch } from '../parts/screen-search.js';

const searchPart = z.object({ q: z.optional(z.string().check(z.maxLength(200))) });

/** Every custom field of the organization. */
export function FieldsPage() {
  const [{ q = '' }, setSearch] = useScreenSearch(searchPart);
  const createField = useAction(actions.create_custom_field());
  const renameField = useAction(actions.rename_custom_field());
  const deleteField = useAction(actions.delete_custom_field());
  return (
    <NamedRecords
      text={fieldText}
      icon="field"
      tool="get_custom_fields"
      query={wholeList('get_custom_fields', {})}
      rowsOf={({ customFields }) => customFields}
      search={q}
      onSearch={(search) => setSearch({ q: search || undefined }, { replace: true })}
      calls={{
        create: (name) => createField.run({ name }),
        rename: (fieldId, name) => renameField.run({ fieldId, name }),
        remove: (fieldId) => deleteField.run({ fieldId }, { button: fieldText('delete') }),
      }}
    />
  );
}
