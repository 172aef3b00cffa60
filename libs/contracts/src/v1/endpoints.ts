import { campaignEndpoints } from './campaign.js';
import type { V1Endpoint } from './define.js';

/** Every endpoint of v1, in the order of the reference. */
export const v1Endpoints: readonly V1Endpoint[] = [...campaignEndpoints];
