import { defineTexts } from '../text.js';

export const tagText = defineTexts('tags', {
  title: 'Tags',
  lead: 'Labels on subscribers. Segments, campaigns and workflows can use them.',
  search: 'Search by name',
  name: 'Name',
  nameHint: 'At most 64 characters, without comma and brace.',
  subscribers: 'Subscribers',
  new: 'New tag',
  create: 'Create tag',
  created: 'The tag {name} is created.',
  rename: 'Rename',
  renameTitle: 'Rename tag',
  renamed: '{name} is now named {next}.',
  delete: 'Delete tag',
  deleted: 'The tag {name} is deleted.',
  more: 'Actions for {name}',
  actions: 'Actions',
  'empty.title': 'No tags yet',
  'empty.lead': 'Tags mark subscribers as customers, guests or readers. Create one, or add it to subscribers directly.',
  'filtered.query': 'the search “{query}”',
});
