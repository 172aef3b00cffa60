import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import type { PageRecipient, subscriberRequests } from '#contracts';
import { RemoteFailure } from '#tool-call';
import type { CampaignRenderer } from '../render/campaign-renderer.js';
import type { LeasedChunk } from './chunk.js';

const deadlineMs = 15_000;
/**
 * Recipients in each request when the whole chunk exceeds the size of a response; each has at most 64 kB of custom
 * values.
 */
const partOfPage = 50;

/**
 * Loads the recipients of a chunk in the order of their positions, as they are now.
 * @param mail whose conditions and variables are evaluated; null for none
 */
export async function listRecipients(
  subscribers: Client<typeof subscriberRequests>,
  { organizationId, audienceId, pageNo: pageNumber }: LeasedChunk,
  mail: CampaignRenderer | null,
): Promise<PageRecipient[]> {
  const { showIf, variables } = mail ?? { showIf: [], variables: [] };
  const request = async (places?: { from: number; count: number }) => {
    const caller = serviceCaller(organizationId, randomUUID(), deadlineMs);
    const page = { audienceId, pageNumber, showIf, variables, ...(places && { places }) };
    return (await subscribers.get_audience_page(page, caller)).recipients;
  };
  return await request().catch(async (error: unknown) => {
    if (!(error instanceof RemoteFailure) || error.failure.reason !== 'RESULT_TOO_LARGE') throw error;
    // Not in the first call: an older process has no such parameter.
    const recipients: PageRecipient[] = [];
    for (;;) {
      const part = await request({ from: recipients.length, count: partOfPage });
      recipients.push(...part);
      if (part.length < partOfPage) return recipients;
    }
  });
}
