import type { Catalogue } from '../catalogue.js';

export const fields: Catalogue['fields'] = {
  title: 'Champs',
  lead: 'Ce que vous conservez de chaque abonné en plus de l’e-mail, du nom et du téléphone.',
  search: 'Rechercher par nom',
  name: 'Nom',
  nameHint: 'Par exemple ville ou anniversaire.',
  new: 'Nouveau champ',
  create: 'Créer le champ',
  created: 'Le champ {name} est créé.',
  rename: 'Renommer',
  renameTitle: 'Renommer le champ',
  renamed: '{name} s’appelle désormais {next}.',
  delete: 'Supprimer le champ',
  deleted: 'Le champ {name} est supprimé.',
  more: 'Actions pour {name}',
  actions: 'Actions',
  'empty.title': 'Aucun champ personnalisé',
  'empty.lead': 'Créez-en un, ou importez un fichier : chacune de ses colonnes peut devenir un champ.',
  'filtered.query': 'la recherche « {query} »',
};
