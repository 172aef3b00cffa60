import type { Screen } from '../parts/screen.js';

export const fieldScreens: Screen[] = [
  { name: 'fields', load: async () => (await import('./fields.page.js')).FieldsPage },
];
