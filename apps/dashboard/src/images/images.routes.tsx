import type { Screen } from '../parts/screen.js';

export const imageScreens: Screen[] = [
  { name: 'images', load: async () => (await import('./images.page.js')).ImagesPage },
];
