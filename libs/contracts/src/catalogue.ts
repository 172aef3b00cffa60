import type { Service, ToolContract, ToolSet } from './define.js';
import { campaignTools } from './tools/campaign.js';
import { domainTools } from './tools/domain.js';
import { segmentTools } from './tools/segment.js';
import { subscriberTools } from './tools/subscriber.js';
import { tagTools } from './tools/tag.js';
import { transferTools } from './tools/transfer.js';

/** A tool of the catalogue: its wire name, its owner, and its contract. */
export interface CatalogueEntry {
  name: string;
  service: Service;
  contract: ToolContract;
}

export const toolSets: readonly ToolSet[] = [
  tagTools,
  subscriberTools,
  segmentTools,
  transferTools,
  campaignTools,
  domainTools,
];

/** Every tool by its wire name, in the order of the sets. */
export const catalogue: ReadonlyMap<string, CatalogueEntry> = new Map(
  toolSets.flatMap(({ service, calls }) =>
    Object.entries(calls).map(([name, contract]) => [name, { name, service, contract }] as const),
  ),
);
