import type { Catalogue } from '../catalogue.js';

export const keys: Catalogue['keys'] = {
  title: 'Raccourcis clavier',
  help: 'Afficher cette liste',
  palette: 'Trouver des pages, des éléments et des outils',
  search: 'Rechercher dans cette page, ou partout',
  compose: 'Créer dans cette page',
  undo: 'Annuler la dernière modification',
  move: 'Descendre ou monter dans une liste',
  select: 'Sélectionner la ligne',
  open: 'Ouvrir la ligne, ou la première',
  clear: 'Effacer la sélection, ou fermer',
  next: 'Enregistrer le formulaire, ou passer à l’étape suivante d’une campagne',
  pause: 'Mettre la campagne en pause',
  retry: 'Renvoyer à ceux qui n’ont pas reçu la campagne',
  approve: 'Aller à Approuver',
  letters: 'Raccourcis à une seule lettre',
  lettersHint: 'Désactivez-les si vous utilisez la saisie vocale.',
};
