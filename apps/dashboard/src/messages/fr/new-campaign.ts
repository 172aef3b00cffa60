import type { Catalogue } from '../catalogue.js';

export const newCampaign: Catalogue['newCampaign'] = {
  button: 'Nouvelle campagne',
  name: 'Sans titre',
  subject: 'Nouvelle campagne',
};
