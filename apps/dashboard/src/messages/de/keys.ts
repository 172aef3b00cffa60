import type { Catalogue } from '../catalogue.js';

export const keys: Catalogue['keys'] = {
  title: 'Tastenkürzel',
  help: 'Diese Liste anzeigen',
  palette: 'Seiten, Datensätze und Tools finden',
  search: 'Auf dieser Seite suchen, sonst überall',
  compose: 'Auf dieser Seite neu anlegen',
  undo: 'Letzte Änderung rückgängig machen',
  move: 'In einer Liste nach unten oder oben',
  select: 'Zeile auswählen',
  open: 'Zeile öffnen, sonst die erste',
  clear: 'Auswahl aufheben oder schließen',
  next: 'Formular speichern oder zum nächsten Schritt einer Kampagne',
  pause: 'Kampagne pausieren',
  retry: 'Erneut senden, wo die Kampagne nicht ankam',
  approve: 'Zu „Freigeben“ springen',
  letters: 'Einzelne Buchstaben als Tastenkürzel',
  lettersHint: 'Schalten Sie sie aus, wenn Sie Spracheingabe nutzen.',
};
