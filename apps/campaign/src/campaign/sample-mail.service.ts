import { previewLinks, renderMail, yearIn } from '#content';
import type { MailTemplate } from '#content';
import { subscriberQueryTools, subscriberRequests } from '#contracts';
import type { Filter, OrganizationFacts, PageRecipient } from '#contracts';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import type { Campaign } from './campaign.js';
import type { CampaignDependencies } from './campaign.service.js';

/**
 * Returns the subscriber whose copy a test or a preview shows: the newest one in the campaign's audience, else the newest
 * of all, else null.
 * @throws the refusal of a conditional block with a deleted filter target, since the send would fail by it
 */
export async function findSample(
  { filters: audience }: Pick<Campaign, 'filters'>,
  showIf: Filter[][],
  { bus, caller }: { bus: CampaignDependencies['bus']; caller: Caller },
): Promise<PageRecipient | null> {
  const one = { status: 'SUBSCRIBED' as const, limit: 1, fields: ['id' as const] };
  const newest = async (filters: Filter[]) =>
    (await bus.client(subscriberQueryTools).query_subscribers({ ...one, filters }, caller)).subscribers;
  // Scheduling reports invalid filters; they need not prevent a test.
  const meant = await newest(audience).catch(
    none('FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE', 'RECORDS_EXPIRED'),
  );
  const [sample = (await newest([]))[0]] = meant ?? [];
  if (!sample?.id) return null;
  const asked = { subscriberId: sample.id, showIf };
  const answer = await bus.client(subscriberRequests).get_recipient(asked, caller).catch(none('SUBSCRIBER_NOT_FOUND'));
  return answer && answer.recipient;
}

const none =
  (...reasons: string[]) =>
  (error: unknown): null => {
    if (error instanceof RemoteFailure && reasons.includes(error.failure.reason ?? '')) return null;
    throw error;
  };

/** Renders a compiled mail as the sample would get it. @param email the address shown where there is no sample */
export function renderSample(
  { template, organization }: { template: MailTemplate; organization: Pick<OrganizationFacts, 'timezone'> },
  sample: PageRecipient | null,
  { email, now }: { email?: string; now: Date },
) {
  const own = email ?? sample?.email;
  return renderMail(template, {
    values: { ...sample?.values, ...(own !== undefined && { email: own }) },
    placeholders: sample === null,
    ...(sample && { shows: sample.shows }),
    links: previewLinks,
    currentYear: yearIn(organization.timezone, now),
  });
}
