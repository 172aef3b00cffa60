import type { Screen } from '../parts/screen.js';

export const subscriberScreens: Screen[] = [
  { name: 'subscribers', load: async () => (await import('./subscribers.page.js')).SubscribersPage },
  { name: 'subscriber', load: async () => (await import('./subscriber.page.js')).SubscriberPage },
  { name: 'subscriberExports', role: 'editor', load: async () => (await import('./exports.page.js')).ExportsPage },
];
