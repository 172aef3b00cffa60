import type { Catalogue } from '../catalogue.js';

export const calendar: Catalogue['calendar'] = {
  layout: 'Affichage',
  list: 'Liste',
  calendar: 'Calendrier',
  previous: 'Mois précédent',
  next: 'Mois suivant',
  today: 'Aujourd’hui',
  zone: 'Jours et heures du fuseau {zone}',
  'zone.differs': 'le vôtre : {zone}',
  grid: 'Campagnes en {month}',
  day: { one: '{day}, {count} campagne', other: '{day}, {count} campagnes' },
  more: { one: '{count} de plus', other: '{count} de plus' },
  entry: '{time} {status}',
  recipients: { one: '{count} destinataire', other: '{count} destinataires' },
  count: '{count} × {status}',
  none: 'Aucune campagne ne commence en {month}.',
  noneOfDay: 'Aucune campagne ne commence ce jour-là.',
  notWhole: 'Il y a trop de campagnes pour toutes les lire jusqu’à ce mois. Utilisez la liste.',
};
