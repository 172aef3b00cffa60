import type { Screen } from '../parts/screen.js';

export const snippetScreens: Screen[] = [
  { name: 'snippets', load: async () => (await import('./snippets.page.js')).SnippetsPage },
  { name: 'snippet', load: async () => (await import('./snippet.page.js')).SnippetPage },
];
