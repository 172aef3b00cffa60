import type { Catalogue } from '../catalogue.js';
import { account } from './account.js';
import { filterFields, outcomeWords, reasonWords } from './api-words.js';
import { approvals } from './approvals.js';
import { audit } from './audit.js';
import { calendar } from './calendar.js';
import { campaigns } from './campaigns.js';
import { common } from './common.js';
import { compare } from './compare.js';
import { copied } from './copied.js';
import { deliverability } from './deliverability.js';
import { domains } from './domains.js';
import { factors } from './factors.js';
import { fields } from './fields.js';
import { filters, filterWords } from './filters.js';
import { home } from './home.js';
import { images } from './images.js';
import { imports } from './imports.js';
import { installation } from './installation.js';
import { keys } from './keys.js';
import { mail } from './mail.js';
import { mailWords } from './mail-words.js';
import { members } from './members.js';
import { messages } from './messages.js';
import { newCampaign } from './new-campaign.js';
import { organization } from './organization.js';
import { palette } from './palette.js';
import { segments } from './segments.js';
import { senders } from './senders.js';
import { screens, shell } from './shell.js';
import { singleSignOn } from './single-sign-on.js';
import { snippets } from './snippets.js';
import { subscriber, timeline } from './subscriber.js';
import { subscribers } from './subscribers.js';
import { tags } from './tags.js';
import { tokens } from './tokens.js';
import { webDomains } from './web-domains.js';
import { build } from './workflow-build.js';
import { runs, workflowSettings, workflowGroups } from './workflow-runs.js';
import { simulations } from './workflow-simulation.js';
import { steps } from './workflow-steps.js';
import { workflows, starters } from './workflows.js';
import { writingStyle } from './writing-style.js';
import { reasons } from './reasons.js';

/** All texts in French. */
export const texts = {
  account,
  approvals,
  audit,
  calendar,
  campaigns,
  common,
  compare,
  copied,
  deliverability,
  domains,
  factors,
  fields,
  filters,
  filterWords,
  filterFields,
  reasonWords,
  outcomeWords,
  home,
  images,
  imports,
  installation,
  keys,
  mailWords,
  mail,
  members,
  messages,
  newCampaign,
  organization,
  palette,
  segments,
  senders,
  screens,
  shell,
  singleSignOn,
  snippets,
  subscriber,
  timeline,
  subscribers,
  tags,
  tokens,
  webDomains,
  build,
  runs,
  workflowSettings,
  workflowGroups,
  simulations,
  steps,
  workflows,
  starters,
  writingStyle,
  reasons,
} satisfies Catalogue;
