/**
 * What goes before what. `single`: transactional mail and tests. `workflow`: the emails of workflows. `retry`: a campaign's
 * messages that were put off. `campaign`: its pages.
 */
export const lanes = ['single', 'workflow', 'retry', 'campaign'] as const;
export type SendQueue = (typeof lanes)[number];
