import type { Catalogue } from '../catalogue.js';

export const palette: Catalogue['palette'] = {
  title: 'Rechercher ou exécuter une commande',
  placeholder: 'Rechercher des pages, des éléments et des outils',
  goTo: 'Aller à {name}',
  pages: 'Pages',
  actions: 'Actions',
  actionWords: 'nouveau ajouter créer',
  records: 'Éléments',
  tools: 'Pour les développeurs',
  loading: 'Chargement des outils',
  nothing: 'Aucun résultat pour « {query} »',
  back: 'Retour',
  run: 'Exécuter {tool}',
  answer: 'Réponse',
};
