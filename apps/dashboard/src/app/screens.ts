import type { Screen } from '../parts/screen.js';
import { approvalScreens } from '../approvals/approvals.routes.js';
import { auditScreens } from '../audit/audit.routes.js';
import { campaignScreens } from '../campaigns/campaigns.routes.js';
import { deliverabilityScreens } from '../deliverability/deliverability.routes.js';
import { domainScreens } from '../domains/domains.routes.js';
import { homeScreens } from '../home/home.routes.js';
import { importScreens } from '../imports/imports.routes.js';
import { messageScreens } from '../mails/mails.routes.js';
import { imageScreens } from '../images/images.routes.js';
import { memberScreens } from '../members/members.routes.js';
import { organizationScreens } from '../organization/organization.routes.js';
import { senderScreens } from '../senders/senders.routes.js';
import { subscriberScreens } from '../subscribers/subscribers.routes.js';
import { tokenScreens } from '../tokens/tokens.routes.js';
import { fieldScreens } from '../fields/fields.routes.js';
import { snippetScreens } from '../snippets/snippets.routes.js';
import { segmentScreens } from '../segments/segments.routes.js';
import { tagScreens } from '../tags/tags.routes.js';
import { workflowScreens } from '../workflows/workflows.routes.js';
import { webDomainScreens } from '../web-domains/web-domains.routes.js';
import { writingStyleScreens } from '../writing-style/writing-style.routes.js';

/** Every screen below `/<organization number>`: each noun adds its list here, in one line. */
export const screens: readonly Screen[] = [
  ...homeScreens,
  ...campaignScreens,
  ...subscriberScreens,
  ...importScreens,
  ...approvalScreens,
  ...tokenScreens,
  ...memberScreens,
  ...organizationScreens,
  ...domainScreens,
  ...senderScreens,
  ...auditScreens,
  ...segmentScreens,
  ...tagScreens,
  ...fieldScreens,
  ...snippetScreens,
  ...workflowScreens,
  ...messageScreens,
  ...deliverabilityScreens,
  ...webDomainScreens,
  ...writingStyleScreens,
  ...imageScreens,
];
