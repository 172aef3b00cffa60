import type { Screen } from '../parts/screen.js';

export const webDomainScreens: Screen[] = [
  { name: 'webDomains', load: async () => (await import('./web-domains.page.js')).WebDomainsPage },
];
