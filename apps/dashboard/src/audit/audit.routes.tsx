import type { Screen } from '../parts/screen.js';

export const auditScreens: Screen[] = [
  { name: 'audit', role: 'admin', load: async () => (await import('./audit.page.js')).AuditPage },
];
