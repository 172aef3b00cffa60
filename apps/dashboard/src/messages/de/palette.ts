import type { Catalogue } from '../catalogue.js';

export const palette: Catalogue['palette'] = {
  title: 'Suchen oder Befehl ausführen',
  placeholder: 'Seiten, Datensätze und Tools suchen',
  goTo: '{name} öffnen',
  pages: 'Seiten',
  actions: 'Aktionen',
  actionWords: 'neu anlegen hinzufügen erstellen',
  records: 'Datensätze',
  tools: 'Für Entwickler',
  loading: 'Die Tools werden geladen',
  nothing: 'Nichts gefunden für „{query}“',
  back: 'Zurück',
  run: '{tool} ausführen',
  answer: 'Antwort',
};
