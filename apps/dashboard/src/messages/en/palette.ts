import { defineTexts } from '../text.js';

export const paletteText = defineTexts('palette', {
  title: 'Search or run a command',
  placeholder: 'Search pages, records and tools',
  goTo: 'Go to {name}',
  pages: 'Pages',
  actions: 'Actions',
  actionWords: 'add new create',
  records: 'Records',
  tools: 'For developers',
  loading: 'The tools are loading',
  nothing: 'Nothing found for “{query}”',
  back: 'Back',
  run: 'Run {tool}',
  answer: 'Answer',
});
