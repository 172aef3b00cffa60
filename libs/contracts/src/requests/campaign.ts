import { z } from 'zod';
import { defineRequests } from '../define.js';

export const campaignRequests = defineRequests('campaign', {
  /** Pauses, resumes or stops a campaign while it is SENDING. */
  control_campaign: {
    input: z.strictObject({ campaignId: z.string(), action: z.enum(['pause', 'resume', 'stop']) }),
    output: z.object({ campaignId: z.string(), paused: z.boolean() }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_SENDING', 'CAMPAIGN_STARTING'],
    transaction: 'own',
  },
});
