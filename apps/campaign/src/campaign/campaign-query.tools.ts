import { previewLinks, renderMail, yearIn } from '#content';
import { subscriberRequests } from '#contracts';
import type { campaignTools, Filter } from '#contracts';
import type { Handlers } from '#tool-call';
import { campaignAnswer, campaignSummary } from './campaign.js';
import { getMail } from './campaign.service.js';
import type { CampaignDependencies } from './campaign.service.js';

type Reading = Pick<Handlers<typeof campaignTools>, 'list_campaigns' | 'get_campaign' | 'render_campaign'>;

export const readingHandlers = (parts: CampaignDependencies): Reading => ({
  list_campaigns: async (args, { organizationId }) => {
    const { campaigns: found, total } = await parts.campaigns.list(organizationId, args);
    const { page, limit } = args;
    return { campaigns: found.map(campaignSummary), total, page, limit, pageCount: Math.ceil(total / limit) };
  },

  get_campaign: async ({ campaignId }, caller) => {
    const found = await getMail(parts, campaignId, caller);
    const answer = campaignAnswer(found, await parts.senders.find(found.senderId, caller));
    const { senderId, sender, replyTo, recipientFilters, content, preview, contentType } = answer.campaign;
    return { ...answer, senderId, sender, replyTo, recipientFilters, content, preview, contentType };
  },

  render_campaign: async ({ campaignId, subscriberId, format }, caller) => {
    const { composer, settings, bus } = parts;
    const asked = settings.find(caller);
    // The `await` below reports a failure; this handler covers the case that the mail is refused first.
    asked.catch(() => undefined);
    const campaign = await getMail(parts, campaignId, caller);
    const snippets = await composer.snippets(campaign, caller);
    const organization = await asked;
    const composed = await composer.compose(campaign, snippets, caller, organization);
    const { template } = composed;
    const showIf = template.showIf as Filter[][];
    const recipient = subscriberId
      ? (await bus.client(subscriberRequests).get_recipient({ subscriberId, showIf }, caller)).recipient
      : null;
    const { subject, preview, html, text } = renderMail(template, {
      values: recipient ? { ...recipient.values, email: recipient.email } : {},
      placeholders: recipient === null,
      ...(recipient && { shows: recipient.shows }),
      links: previewLinks,
      currentYear: yearIn(organization.timezone, caller.now),
    });
    return {
      subject,
      preview,
      ...(format !== 'text' && { html }),
      ...(format !== 'html' && { text }),
      warnings: await composer.warnings(composed, caller),
    };
  },
});
