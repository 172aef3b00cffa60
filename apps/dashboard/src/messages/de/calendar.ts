import type { Catalogue } from '../catalogue.js';

export const calendar: Catalogue['calendar'] = {
  layout: 'Ansicht',
  list: 'Liste',
  calendar: 'Kalender',
  previous: 'Voriger Monat',
  next: 'Nächster Monat',
  today: 'Heute',
  zone: 'Tage und Uhrzeiten in der Zeitzone {zone}',
  'zone.differs': 'Ihre ist {zone}',
  grid: 'Kampagnen im {month}',
  day: { one: '{day}, {count} Kampagne', other: '{day}, {count} Kampagnen' },
  more: { one: '{count} weitere', other: '{count} weitere' },
  entry: '{time} {status}',
  recipients: { one: '{count} Empfänger', other: '{count} Empfänger' },
  count: '{count} × {status}',
  none: 'Im {month} beginnt keine Kampagne.',
  noneOfDay: 'An diesem Tag beginnt keine Kampagne.',
  notWhole: 'Es gibt zu viele Kampagnen, um alle bis zu diesem Monat zu lesen. Nutzen Sie die Liste.',
};
