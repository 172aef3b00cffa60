import { defineTexts } from '../text.js';

/** Texts of the calendar of campaigns. */
export const calendarText = defineTexts('calendar', {
  layout: 'Layout',
  list: 'List',
  calendar: 'Calendar',
  previous: 'Previous month',
  next: 'Next month',
  today: 'Today',
  zone: 'Days and hours in the time zone {zone}',
  'zone.differs': 'yours is {zone}',
  grid: 'Campaigns in {month}',
  day: { one: '{day}, {count} campaign', other: '{day}, {count} campaigns' },
  more: { one: '{count} more', other: '{count} more' },
  entry: '{time} {status}',
  recipients: { one: '{count} recipient', other: '{count} recipients' },
  count: '{count} × {status}',
  none: 'No campaign starts in {month}.',
  noneOfDay: 'No campaign starts on this day.',
  notWhole: 'There are too many campaigns to read all of them up to this month. Use the list.',
});
