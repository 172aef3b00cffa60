import type { Service } from './define.js';

/**
 * The version of what this program's processes write for each other: events, rows and internal requests. It grows by one
 * with each format that older programs cannot read. Programs without it count as 0.
 */
export const protocolVersion = 1;

export interface Feature {
  /** The service that writes the format, and whose schema remembers that it may. */
  service: Service;
  /** The least protocol version that reads it. */
  version: number;
  /** Further services that read it. */
  readers: readonly Service[];
}

/** Formats that are written only once all live replicas of the services concerned can read them. */
export const features = {
  /** The event that replaces one event a message by one a group of results. */
  'messages.settled': { service: 'delivery', version: 1, readers: ['subscriber', 'campaign', 'workflow'] },
  /** New sends start on the ledger, whose messages have rows only once they are settled. */
  'send.ledger': { service: 'delivery', version: 1, readers: [] },
} as const satisfies Record<string, Feature>;

export type FeatureName = keyof typeof features;

/** The names of the features that a service enables, with what each needs. */
export const featuresOf = (service: Service): [FeatureName, Feature][] =>
  (Object.entries(features) as [FeatureName, Feature][]).filter(([, feature]) => feature.service === service);
