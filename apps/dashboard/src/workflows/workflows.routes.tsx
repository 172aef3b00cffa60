import type { Screen } from '../parts/screen.js';

export const workflowScreens: Screen[] = [
  { name: 'workflows', load: async () => (await import('./workflows.page.js')).WorkflowsPage },
];
