import type { Catalogue } from '../catalogue.js';

export const newCampaign: Catalogue['newCampaign'] = {
  button: 'Neue Kampagne',
  name: 'Unbenannt',
  subject: 'Neue Kampagne',
};
