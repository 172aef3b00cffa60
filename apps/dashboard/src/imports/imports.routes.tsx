import type { Screen } from '../parts/screen.js';

export const importScreens: Screen[] = [
  { name: 'subscriberImports', role: 'editor', load: async () => (await import('./imports.page.js')).ImportsPage },
  { name: 'subscriberImport', role: 'editor', load: async () => (await import('./import.page.js')).ImportPage },
];
