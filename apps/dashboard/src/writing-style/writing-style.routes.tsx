import type { Screen } from '../parts/screen.js';

export const writingStyleScreens: Screen[] = [
  { name: 'writingStyle', load: async () => (await import('./writing-style.page.js')).WritingStylePage },
];
