import type { Catalogue } from '../catalogue.js';
import { account } from './account.js';
import { approvals } from './approvals.js';
import { audit } from './audit.js';
import { calendar } from './calendar.js';
import { mailWords } from './mail-words.js';
import { campaigns } from './campaigns.js';
import { common } from './common.js';
import { compare } from './compare.js';
import { copied } from './copied.js';
import { domains } from './domains.js';
import { fields } from './fields.js';
import { filters } from './filters.js';
import { home } from './home.js';
import { installation } from './installation.js';
import { keys } from './keys.js';
import { members } from './members.js';
import { newCampaign } from './new-campaign.js';
import { organization } from './organization.js';
import { palette } from './palette.js';
import { segments } from './segments.js';
import { senders } from './senders.js';
import { screens, shell } from './shell.js';
import { subscriber, timeline } from './subscriber.js';
import { subscribers } from './subscribers.js';
import { tags } from './tags.js';
import { tokens } from './tokens.js';
import { reasons } from './reasons.js';

/** All texts in German. */
export const texts = {
  account,
  approvals,
  audit,
  calendar,
  mailWords,
  campaigns,
  common,
  compare,
  copied,
  domains,
  fields,
  filters,
  home,
  installation,
  keys,
  members,
  newCampaign,
  organization,
  palette,
  segments,
  senders,
  screens,
  shell,
  subscriber,
  timeline,
  subscribers,
  tags,
  tokens,
  reasons,
} satisfies Catalogue;
