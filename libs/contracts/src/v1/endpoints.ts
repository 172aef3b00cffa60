import { campaignDocumentEndpoints } from './campaign-document.js';
import { campaignEndpoints } from './campaign.js';
import type { V1Endpoint } from './define.js';
import { emailEndpoints } from './email.js';
import { subscriberEndpoints } from './subscriber.js';
import { tagEndpoints } from './tag.js';

/** Every endpoint of v1, in the order of the reference. */
export const v1Endpoints: readonly V1Endpoint[] = [
  ...subscriberEndpoints,
  ...tagEndpoints,
  ...campaignDocumentEndpoints,
  ...campaignEndpoints,
  ...emailEndpoints,
];
