import type { Screen } from '../parts/screen.js';

export const memberScreens: Screen[] = [
  { name: 'members', load: async () => (await import('./members.page.js')).MembersPage },
];
