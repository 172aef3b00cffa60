/**
 * The send queues, the most urgent first. `single`: transactional mail and tests. `workflow`: the emails of workflows.
 * `retry`: a campaign's deferred messages. `campaign`: its chunks.
 */
export const lanes = ['single', 'workflow', 'retry', 'campaign'] as const;
export type SendQueue = (typeof lanes)[number];
