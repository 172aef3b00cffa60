import { z } from 'zod';
import { fieldName, idText } from '../common.js';
import { defineTools } from '../define.js';
import { customFieldRule } from '../limits.js';

const customField = z.object({ id: z.string(), name: z.string() });
const fieldId = idText.describe('The id of a custom field, from get_custom_fields');
const names =
  'Names are compared without case. Reserved names (email, name, status, …) and names of other fields are refused.';

export const customFieldTools = defineTools('subscriber', {
  get_custom_fields: {
    summary: 'Lists the custom fields of the organization, by name.',
    category: 'settings',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ customFields: z.array(customField), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords:
      'extra columns, additional information, attributes, properties of contacts, what do we store, show, which',
    example: {},
  },
  create_custom_field: {
    summary: 'Creates a custom field with no values.',
    category: 'settings',
    scope: 'write',
    rules: [names, customFieldRule],
    input: z.strictObject({ name: fieldName }),
    output: z.object({ customField }),
    errors: ['FIELD_RESERVED', 'FIELD_NAME_TAKEN', 'LIMIT_REACHED'],
    transaction: 'write',
    keywords: 'new column, store more, additional information, attribute, property, birthday, keep track of',
    example: { name: 'birthday' },
  },
  rename_custom_field: {
    summary: 'Renames a custom field. Its values and references remain valid.',
    category: 'settings',
    scope: 'write',
    idempotent: true,
    rules: [
      names,
      'Segments and filters follow the new name. Content that uses the old name keeps showing the value until another field takes that name.',
    ],
    input: z.strictObject({ fieldId, name: fieldName }),
    output: z.object({ customField }),
    errors: ['FIELD_NOT_FOUND', 'FIELD_RESERVED', 'FIELD_NAME_TAKEN'],
    transaction: 'own',
    keywords: 'different name for a column, call it, change the title of an attribute, property',
    example: { fieldId: '{fieldId}', name: 'shoe size' },
  },
  delete_custom_field: {
    summary: 'Deletes a custom field and its values for all subscribers.',
    category: 'settings',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: [
      'A field used by a segment, a SCHEDULED or SENDING campaign or an ACTIVE workflow is refused; the refusal names its users.',
      'The values disappear at once and are removed in the background. No subscriber status changes.',
    ],
    input: z.strictObject({ fieldId }),
    output: z.object({ deleted: z.literal(true), customField }),
    errors: ['FIELD_NOT_FOUND', 'FIELD_IN_USE'],
    transaction: 'own',
    keywords: 'remove a column with its data, drop an attribute, stop storing, erase a property',
    example: { fieldId: '{oldFieldId}' },
  },
});
