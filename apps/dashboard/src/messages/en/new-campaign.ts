import { defineTexts } from '../text.js';

/** Apart from the other texts of campaigns, since home shows the button. */
export const newCampaignText = defineTexts('newCampaign', {
  button: 'New campaign',
  name: 'Untitled',
  subject: 'New campaign',
});
