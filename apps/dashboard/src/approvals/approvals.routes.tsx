import type { Screen } from '../parts/screen.js';

const load = async () => (await import('./approvals.page.js')).ApprovalsPage;

export const approvalScreens: Screen[] = [
  { name: 'approvals', load },
  { name: 'approval', load },
];
