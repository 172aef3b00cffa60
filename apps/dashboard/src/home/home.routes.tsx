import type { Screen } from '../parts/screen.js';

export const homeScreens: Screen[] = [{ name: 'home', load: async () => (await import('./home.page.js')).HomePage }];
