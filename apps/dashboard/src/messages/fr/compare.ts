import type { Catalogue } from '../catalogue.js';

export const compare: Catalogue['compare'] = {
  lead: 'Choisissez pour chaque partie la version à enregistrer.',
  theirs: 'La leur',
  mine: 'La mienne',
  button: 'Enregistrer ce choix',
};
