/** What an operator may set bounds to: people, emails accepted in a month (UTC), sending domains but for the sandbox. */
export const quotaNames = ['contacts', 'mailsPerMonth', 'domains'] as const;
export type QuotaName = (typeof quotaNames)[number];
