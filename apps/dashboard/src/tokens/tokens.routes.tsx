import type { Screen } from '../parts/screen.js';

export const tokenScreens: Screen[] = [
  { name: 'tokens', load: async () => (await import('./tokens.page.js')).TokensPage },
];
