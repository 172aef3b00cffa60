import type { Service } from './define.js';

/** What an organization may keep for a shorter time than the installation does: its owner, and the shortest time in months. */
export const retainedData = {
  messages: { service: 'delivery', min: 3 },
  onlineVersions: { service: 'delivery', min: 1 },
  campaignActivity: { service: 'subscriber', min: 3 },
  subscriberEvents: { service: 'subscriber', min: 1 },
  runs: { service: 'workflow', min: 1 },
} as const satisfies Record<string, { service: Service; min: number }>;

export type RetainedData = keyof typeof retainedData;
export const retainedNames = Object.keys(retainedData) as [RetainedData, ...RetainedData[]];
export const retentionServices = ['delivery', 'subscriber', 'workflow'] as const satisfies readonly Service[];

/** Rows that are counted at most: a number beyond it says only that there are more. */
export const expiredCountedMax = 100_000;
