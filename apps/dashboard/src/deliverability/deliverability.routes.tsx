import type { Screen } from '../parts/screen.js';

export const deliverabilityScreens: Screen[] = [
  { name: 'deliverability', load: async () => (await import('./deliverability.page.js')).DeliverabilityPage },
  { name: 'suppressed', load: async () => (await import('./suppressed.page.js')).SuppressedPage },
];
