import type { Screen } from '../parts/screen.js';

export const senderScreens: Screen[] = [
  { name: 'senders', load: async () => (await import('./senders.page.js')).SendersPage },
];
