import type { Screen } from '../parts/screen.js';

export const tagScreens: Screen[] = [{ name: 'tags', load: async () => (await import('./tags.page.js')).TagsPage }];
