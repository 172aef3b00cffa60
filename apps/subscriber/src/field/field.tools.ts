import { customFieldTools, isReservedFieldName } from '#contracts';
import type { CallContext } from '#service-host';
import { pluralize, implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { SegmentRepository } from '../segment/segment.repository.js';
import { cleanLine } from '../text/text.js';
import { inWords } from '../reference/reference.client.js';
import type { ReferenceClient } from '../reference/reference.client.js';
import type { Field } from './field.js';
import { FieldRepository } from './field.repository.js';

export function implementFieldTools({ manager, transaction }: CallContext, { usage }: { usage: ReferenceClient }) {
  const fields = new FieldRepository(manager);
  const getUnused = async (fieldId: string, caller: Caller): Promise<Field> => {
    const field = await fields.findById(caller.organizationId, fieldId);
    if (!field) throw new ToolError('FIELD_NOT_FOUND', { id: fieldId });
    assertUnused(field, await usage.list(caller, referenceTo(field)));
    return field;
  };

  return implement(
    customFieldTools,
    {
      get_custom_fields: async (_args, { organizationId }) => {
        const customFields = (await fields.list(organizationId)).map(shown);
        return { customFields, total: customFields.length };
      },

      create_custom_field: async ({ name: given }, { organizationId }) => {
        const name = checkedName(given);
        const [field] = (await fields.upsertByNames(organizationId, [name])).values();
        if (!field!.created) throw new ToolError('FIELD_NAME_TAKEN', { name: field!.name, fieldId: field!.id });
        return { customField: shown(field!) };
      },

      rename_custom_field: async ({ fieldId, name: given }, { organizationId }) => {
        const name = checkedName(given);
        return await transaction((inner) =>
          renameField(new FieldRepository(inner.manager), { organizationId, fieldId, name }),
        );
      },

      delete_custom_field: async ({ fieldId }, caller) => {
        const field = await getUnused(fieldId, caller);
        return await transaction(async (inner) => {
          if (!(await new FieldRepository(inner.manager).updateDeleted(caller.organizationId, fieldId))) {
            throw new ToolError('FIELD_NOT_FOUND', { id: fieldId });
          }
          // A transaction that saves a segment with the field holds the field's row, so this list includes it.
          const naming = new SegmentRepository(inner.manager).listNaming(caller.organizationId, referenceTo(field));
          assertUnused(field, inWords('segment', await naming));
          return { deleted: true as const, customField: shown(field) };
        });
      },
    },
    {
      delete_custom_field: async ({ fieldId }, caller) => {
        const { name } = await getUnused(fieldId, caller);
        const holders = await fields.countHolders(caller.organizationId, fieldId);
        return {
          action: 'Delete the custom field',
          message: `Deletes the custom field "${name}" permanently, with the values of ${pluralize(holders, 'subscriber')}.`,
        };
      },
    },
  );
}

const referenceTo = ({ id }: Field): string => `field:${id}`;
const shown = ({ id, name }: Field) => ({ id, name });

function checkedName(given: string): string {
  const name = cleanLine(given);
  if (name === null || isReservedFieldName(name)) throw new ToolError('FIELD_RESERVED', { name: given });
  return name;
}

function assertUnused({ name }: Field, users: readonly string[]): void {
  if (users.length > 0) throw new ToolError('FIELD_IN_USE', { name, users });
}

async function renameField(
  fields: FieldRepository,
  { organizationId, fieldId, name }: { organizationId: string; fieldId: string; name: string },
) {
  const taken = await fields.findByName(organizationId, name);
  if (taken && taken.id !== fieldId) throw new ToolError('FIELD_NAME_TAKEN', { name: taken.name, fieldId: taken.id });
  const field = await fields.updateName(organizationId, fieldId, name);
  if (!field) throw new ToolError('FIELD_NOT_FOUND', { id: fieldId });
  return { customField: shown(field) };
}
