import type { Screen } from '../parts/screen.js';

export const messageScreens: Screen[] = [
  { name: 'messages', load: async () => (await import('./messages.page.js')).MessagesPage },
  { name: 'message', load: async () => (await import('./message.page.js')).MessagePage },
];
