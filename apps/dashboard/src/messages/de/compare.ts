import type { Catalogue } from '../catalogue.js';

export const compare: Catalogue['compare'] = {
  lead: 'Wählen Sie für jeden Teil, welche Version gespeichert wird.',
  theirs: 'Andere',
  mine: 'Meine',
  button: 'Auswahl speichern',
};
