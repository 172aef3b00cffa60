import { defineTexts } from '../text.js';

export const keyText = defineTexts('keys', {
  title: 'Keyboard shortcuts',
  help: 'Show this list',
  palette: 'Find pages, records and tools',
  search: 'Search on this page, or everywhere',
  compose: 'Create on this page',
  undo: 'Undo the last change',
  move: 'Move down or up in a list',
  select: 'Select the row',
  open: 'Open the row, or the first one',
  clear: 'Clear the selection, or close',
  next: 'Save the form, or go to the next step of a campaign',
  pause: 'Pause the campaign',
  retry: 'Retry who did not get the campaign',
  approve: 'Move to Approve, or to Import after its check',
  letters: 'Single letters act',
  lettersHint: 'Switch them off if you use speech input.',
});
