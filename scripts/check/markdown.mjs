import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt({ html: true });

/**
 * @typedef {{ line: number, text: string, inTable: boolean }} Block a paragraph, heading, list item or table cell
 * @typedef {{ line: number, target: string }} Link
 * @typedef {{ line: number, text: string }} Span
 * @typedef {{ blocks: Block[], links: Link[], spans: Span[], anchors: Set<string>, runs: string[], strayMarks: number[] }} Page
 */

/**
 * Reads a Markdown file: its prose (code covered by X, quoted blocks left out), links, code spans, and the anchors that
 * GitHub gives its headings. `runs` are the shell blocks marked by a line `<!-- run -->` before them, which a test runs;
 * `strayMarks` the lines of marks before anything else.
 * @param {string} source @returns {Page}
 */
export function readMarkdown(source) {
  /** @type {Page} */
  const page = { blocks: [], links: [], spans: [], anchors: new Set(), runs: [], strayMarks: [] };
  let line = 1;
  let quoted = 0;
  let inHeading = false;
  let inTable = false;
  let markedAt = 0;
  for (const token of parser.parse(source, {})) {
    if (token.map) line = token.map[0] + 1;
    if (token.type === 'blockquote_open') quoted += 1;
    if (token.type === 'blockquote_close') quoted -= 1;
    if (token.type.startsWith('heading_')) inHeading = token.nesting === 1;
    if (token.type.startsWith('table_')) inTable = token.nesting === 1;
    if (markedAt > 0) {
      if (token.type === 'fence' && token.info === 'sh') page.runs.push(token.content);
      else page.strayMarks.push(markedAt);
      markedAt = 0;
    }
    if (token.type === 'html_block' && token.content.trim() === '<!-- run -->') markedAt = line;
    if (token.type.startsWith('html_')) addAnchors(token.content, page.anchors);
    if (token.type !== 'inline') continue;
    const { text, title } = readInline(token.children ?? [], line, page);
    if (quoted === 0) page.blocks.push({ line, text, inTable });
    if (inHeading) addSlug(title, page.anchors);
  }
  return page;
}

/** @param {import('markdown-it').Token[]} children @param {number} line @param {Page} page */
function readInline(children, line, page) {
  let text = '';
  let title = '';
  for (const child of children) {
    if (child.type === 'softbreak' || child.type === 'hardbreak') {
      text += '\n';
      line += 1;
    } else if (child.type === 'code_inline') {
      page.spans.push({ line, text: child.content });
      text += 'X';
      title += child.content;
    } else if (child.type === 'text') {
      text += child.content;
      title += child.content;
    } else if (child.type === 'html_inline') addAnchors(child.content, page.anchors);
    const target = child.attrGet('href') ?? child.attrGet('src');
    if (target !== null) page.links.push({ line, target: String(target) });
  }
  return { text, title };
}

/** @param {string} html @param {Set<string>} anchors */
function addAnchors(html, anchors) {
  for (const [, name = ''] of html.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(name);
}

/** The anchor as GitHub forms it; a second heading of the same text gets -1. @param {string} title @param {Set<string>} anchors */
function addSlug(title, anchors) {
  const slug = title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
  let anchor = slug;
  for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
  anchors.add(anchor);
}
