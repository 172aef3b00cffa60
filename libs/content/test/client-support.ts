/**
 * The styles and elements that mail may use, with the effect in a client that does not support them. Read from the
 * caniemail.com data of June 2026 for Gmail, Outlook (Windows, macOS, web, phones), Apple Mail and Yahoo; `everywhere`
 * = none of these clients refuses the values used.
 */
export const INLINE_STYLES: Record<string, string> = {
  'background-color': 'everywhere',
  border: 'everywhere; Outlook for Windows only on cells, where it stands',
  'border-collapse': 'everywhere',
  'border-left': 'everywhere; a quote without its line is still indented',
  'border-radius': 'Outlook for Windows draws square corners',
  'border-right': 'as border-left',
  'border-top': 'everywhere',
  color: 'everywhere',
  display: 'block, inline-block and none only: known to all, none on the preview with mso-hide beside it',
  'font-family': 'everywhere; Outlook for Windows gets its own by a conditional style',
  'font-size': 'everywhere',
  'font-weight': 'everywhere for 600 and 700 (both bold)',
  height: 'everywhere in px and auto',
  'line-height': 'everywhere without unit',
  margin: 'everywhere without negative values; tables are centred by align as well',
  'max-height': 'preview only, hidden by other means too',
  'max-width': 'Outlook for Windows gets a fixed table by a conditional comment, and width on images',
  'mso-hide': 'Outlook for Windows only, meant so',
  'mso-padding-alt': 'Outlook for Windows only, meant so',
  opacity: 'preview only, hidden by other means too',
  overflow: 'preview only, hidden by other means too',
  padding: 'everywhere on cells; on links replaced by mso-padding-alt of the cell',
  'table-layout': 'Outlook for Windows lays out by content, within its fixed table',
  'text-align': 'everywhere',
  'text-decoration': 'everywhere',
  'vertical-align': 'everywhere',
  'white-space': 'Outlook for Windows keeps the lines of <pre> anyway',
  width: 'everywhere',
  'word-break': 'Outlook and Yahoo let a very long word stick out',
};

/** Elements of our own; an author's HTML may bring others. */
export const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'html head meta title style body div table tr td th p h1 h2 h3 a img br span strong em u s code pre ul ol li ' +
    'blockquote'
  ).split(' '),
);
