import { defineTexts } from '../text.js';

export const fieldText = defineTexts('fields', {
  title: 'Fields',
  lead: 'What you store of each subscriber beside email, name and phone.',
  search: 'Search by name',
  name: 'Name',
  nameHint: 'Such as city or birthday.',
  new: 'New field',
  create: 'Create field',
  created: 'The field {name} is created.',
  rename: 'Rename',
  renameTitle: 'Rename field',
  renamed: '{name} is now named {next}.',
  delete: 'Delete field',
  deleted: 'The field {name} is deleted.',
  more: 'Actions for {name}',
  actions: 'Actions',
  'empty.title': 'No custom fields yet',
  'empty.lead': 'Create one, or import a file: each of its columns can become a field.',
  'filtered.query': 'the search “{query}”',
});
