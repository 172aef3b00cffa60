import type { Catalogue } from '../catalogue.js';

export const tags: Catalogue['tags'] = {
  title: 'Tags',
  lead: 'Kennzeichen an Abonnenten. Segmente, Kampagnen und Workflows können sie nutzen.',
  search: 'Nach Namen suchen',
  name: 'Name',
  nameHint: 'Höchstens 64 Zeichen, ohne Komma und geschweifte Klammer.',
  subscribers: 'Abonnenten',
  new: 'Neuer Tag',
  create: 'Tag anlegen',
  created: 'Der Tag {name} ist angelegt.',
  rename: 'Umbenennen',
  renameTitle: 'Tag umbenennen',
  renamed: '{name} heißt jetzt {next}.',
  delete: 'Tag löschen',
  deleted: 'Der Tag {name} ist gelöscht.',
  more: 'Aktionen für {name}',
  actions: 'Aktionen',
  'empty.title': 'Noch keine Tags',
  'empty.lead':
    'Tags kennzeichnen Abonnenten als Kunden, Gäste oder Leser. Legen Sie einen an oder fügen Sie ihn direkt bei Abonnenten hinzu.',
  'filtered.query': 'die Suche „{query}“',
};
