import type { Screen } from '../parts/screen.js';

export const workflowScreens: Screen[] = [
  { name: 'workflows', load: async () => (await import('./workflows.page.js')).WorkflowsPage },
  { name: 'workflow', load: async () => (await import('./workflow.page.js')).WorkflowPage },
  { name: 'workflowBuild', load: async () => (await import('./workflow-build.page.js')).WorkflowBuildPage },
  { name: 'workflowRuns', load: async () => (await import('./workflow-runs.page.js')).WorkflowRunsPage },
  {
    name: 'workflowSimulation',
    load: async () => (await import('./workflow-simulation.page.js')).WorkflowSimulationPage,
  },
  { name: 'workflowSettings', load: async () => (await import('./workflow-settings.page.js')).WorkflowSettingsPage },
  { name: 'workflowGroups', load: async () => (await import('./workflow-groups.page.js')).WorkflowGroupsPage },
];
