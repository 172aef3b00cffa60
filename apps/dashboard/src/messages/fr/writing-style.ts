import type { Catalogue } from '../catalogue.js';

export const writingStyle: Catalogue['writingStyle'] = {
  title: 'Style de rédaction',
  lead: 'Le ton de vos e-mails. Les agents le lisent avant de rédiger un brouillon.',
  name: 'Nom du style',
  persona: 'Voix',
  personaHint: 'Qui écrit, et sur quel ton',
  audience: 'Lecteurs',
  audienceHint: 'Qui lit, et ce qu’ils savent déjà',
  vocabulary: 'Mots',
  vocabularyHint: 'Les mots à employer, et ceux à éviter',
  rules: 'Autres règles',
  rulesHint: 'Longueur, salutations, émojis, etc.',
  saved: 'Le style de rédaction est enregistré.',
  discard: 'Abandonner les modifications',
};
