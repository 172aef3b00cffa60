const hidden =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all';
/** Fills the inbox line behind the preview, so that no words of the mail follow it there. */
const padding = '&#8199;&#847;&zwnj; '.repeat(60);
/**
 * Patterns for the start of a page's visible part, the surest first; a tag ends before the next, since otherwise each
 * would be read to the end.
 */
const beginnings = [/<body\b[^<>]*>/i, /<\/head\s*>/i, /<html\b[^<>]*>/i, /<!doctype\b[^<>]*>/i];

export function withPreview(html: string, preview: string): string {
  const text = preview.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const found = beginnings.map((beginning) => beginning.exec(html)).find((match) => match !== null);
  const at = found ? found.index + found[0].length : 0;
  return `${html.slice(0, at)}<div style="${hidden}">${text}${padding}</div>${html.slice(at)}`;
}
