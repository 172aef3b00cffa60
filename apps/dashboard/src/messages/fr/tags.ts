import type { Catalogue } from '../catalogue.js';

export const tags: Catalogue['tags'] = {
  title: 'Étiquettes',
  lead: 'Des repères sur les abonnés. Segments, campagnes et workflows peuvent les utiliser.',
  search: 'Rechercher par nom',
  name: 'Nom',
  nameHint: '64 caractères au plus, sans virgule ni accolade.',
  subscribers: 'Abonnés',
  new: 'Nouvelle étiquette',
  create: 'Créer l’étiquette',
  created: 'L’étiquette {name} est créée.',
  rename: 'Renommer',
  renameTitle: 'Renommer l’étiquette',
  renamed: '{name} s’appelle désormais {next}.',
  delete: 'Supprimer l’étiquette',
  deleted: 'L’étiquette {name} est supprimée.',
  more: 'Actions pour {name}',
  actions: 'Actions',
  'empty.title': 'Aucune étiquette',
  'empty.lead':
    'Les étiquettes désignent les abonnés comme clients, invités ou lecteurs. Créez-en une, ou ajoutez-la directement à des abonnés.',
  'filtered.query': 'la recherche « {query} »',
};
