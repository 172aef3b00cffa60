import type { Screen } from '../parts/screen.js';

export const organizationScreens: Screen[] = [
  { name: 'organization', load: async () => (await import('./organization.page.js')).OrganizationPage },
];
