import { campaignRequests } from '#contracts';
import { implement } from '#tool-call';
import { sendRequestHandlers } from '../send/send.requests.js';
import type { CampaignReferenceRepository } from './campaign-reference.repository.js';
import { autosaveCampaign } from './campaign-editing.tools.js';
import type { CampaignDependencies } from './campaign.service.js';

interface Dependencies extends CampaignDependencies {
  lookups: CampaignReferenceRepository;
}

export const implementCampaignRequests = ({ lookups, ...parts }: Dependencies) =>
  implement(campaignRequests, {
    ...sendRequestHandlers(parts),

    autosave_campaign: (edit, caller) => autosaveCampaign(parts, edit, caller),

    find_campaigns: async (asked, { organizationId }) => ({
      campaigns: await lookups.listNamed(organizationId, asked),
    }),

    list_filter_users: async ({ references }, { organizationId }) => ({
      users: await lookups.listLiveNaming(organizationId, references),
    }),

    compile_mail: async ({ subject, preview, content, contentType }, caller) => {
      const written = await parts.composer.content.read(contentType, content, caller);
      const mail = { subject, preview, content: written.content, contentType };
      const references = await parts.composer.references(mail, caller);
      const snippets = await parts.composer.snippets(mail, caller);
      const composed = await parts.composer.compose(mail, snippets, caller);
      return {
        content: written.content,
        references: references.map((reference) => reference.slice(reference.indexOf(':') + 1)),
        template: composed.template,
        warnings: [...written.warnings, ...(await parts.composer.warnings(composed, caller))],
      };
    },

    get_campaign_totals: async (_args, { organizationId }) => await lookups.getTotals(organizationId),
  });
