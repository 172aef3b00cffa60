import type { Catalogue } from '../catalogue.js';

export const fields: Catalogue['fields'] = {
  title: 'Felder',
  lead: 'Was Sie zu jedem Abonnenten außer E-Mail, Name und Telefon speichern.',
  search: 'Nach Namen suchen',
  name: 'Name',
  nameHint: 'Etwa Stadt oder Geburtstag.',
  new: 'Neues Feld',
  create: 'Feld anlegen',
  created: 'Das Feld {name} ist angelegt.',
  rename: 'Umbenennen',
  renameTitle: 'Feld umbenennen',
  renamed: '{name} heißt jetzt {next}.',
  delete: 'Feld löschen',
  deleted: 'Das Feld {name} ist gelöscht.',
  more: 'Aktionen für {name}',
  actions: 'Aktionen',
  'empty.title': 'Noch keine eigenen Felder',
  'empty.lead': 'Legen Sie eines an oder importieren Sie eine Datei: Jede ihrer Spalten kann ein Feld werden.',
  'filtered.query': 'die Suche „{query}“',
};
