export const approvalViews = ['waiting', 'decided', 'mine'] as const;
export type ApprovalView = (typeof approvalViews)[number];
