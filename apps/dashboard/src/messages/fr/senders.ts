import type { Catalogue } from '../catalogue.js';

export const senders: Catalogue['senders'] = {
  title: 'Expéditeurs',
  lead: 'Les adresses d’où partent les e-mails. Les nouvelles campagnes prennent celle par défaut.',
  add: 'Nouvel expéditeur',
  'add.title': 'Nouvel expéditeur',
  'add.button': 'Créer l’expéditeur',
  displayName: 'Nom',
  localPart: 'Avant le @',
  domain: 'Domaine',
  replyTo: 'Répondre à',
  replyToHint: 'Vide : à l’expéditeur lui-même.',
  isDefault: 'par défaut',
  makeDefault: 'Définir par défaut',
  madeDefault: '{email} est désormais l’expéditeur par défaut.',
  replies: 'Réponses à {email}',
  removeButton: 'Supprimer l’expéditeur',
  removed: '{email} est supprimé.',
  actions: 'Actions pour {email}',
};
