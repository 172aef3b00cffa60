import type { Catalogue } from '../catalogue.js';

export const senders: Catalogue['senders'] = {
  title: 'Absender',
  lead: 'Die Adressen, von denen E-Mails kommen. Neue Kampagnen nehmen den Standard.',
  add: 'Neuer Absender',
  'add.title': 'Neuer Absender',
  'add.button': 'Absender anlegen',
  displayName: 'Name',
  localPart: 'Vor dem @',
  domain: 'Domain',
  replyTo: 'Antworten gehen an',
  replyToHint: 'Leer: an den Absender selbst.',
  isDefault: 'Standard',
  makeDefault: 'Als Standard festlegen',
  madeDefault: '{email} ist jetzt der Standard.',
  replies: 'Antworten an {email}',
  removeButton: 'Absender löschen',
  removed: '{email} ist gelöscht.',
  actions: 'Aktionen für {email}',
};
