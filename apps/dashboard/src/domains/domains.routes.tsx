import type { Screen } from '../parts/screen.js';

export const domainScreens: Screen[] = [
  { name: 'domains', load: async () => (await import('./domains.page.js')).DomainsPage },
];
