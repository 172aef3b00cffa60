import { sanitise } from '../fragment/sanitise.js';
import { MarkdownWriter } from './markdown-writer.js';

export interface ReadablePage {
  title: string | null;
  description: string | null;
  markdown: string;
  truncated: boolean;
}

const besides = ['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'canvas', 'head', 'nav'];
const alsoBesides = ['aside', 'footer', 'form', 'button', 'select', 'option', 'textarea', 'dialog', 'title'];
const kept = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'section', 'article', 'main', 'header', 'figure'];
const alsoKept = ['figcaption', 'br', 'hr', 'strong', 'b', 'em', 'i', 'code', 'pre', 'a', 'img', 'ul', 'ol', 'li'];
const tables = ['blockquote', 'table', 'thead', 'tbody', 'tr', 'td', 'th', 'dl', 'dt', 'dd'];
/** Characters of a page that are read; the rest is cut off. */
export const pageCharactersMax = 1_000_000;
const charactersAnswered = 50_000;

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });

/** Turns a page into the Markdown of its main content, with links and images absolute by its address. */
export function htmlToMarkdown(html: string, address: string): ReadablePage {
  const source = untilTooDeep(html.slice(0, pageCharactersMax));
  const { markdown, isWhole } = markdownOf(mainPart(source), address);
  return {
    title: line(/<title\b[^<>]*>([^<]*)/i.exec(source)?.[1]),
    description: descriptionOf(source),
    markdown: markdown.slice(0, charactersAnswered),
    truncated: html.length > source.length || !isWhole || markdown.length > charactersAnswered,
  };
}

/** Elements that close by themselves, so that a page of thousands is not deep. */
const shallow = /^(?:p|li|d[td]|t[rdh]|tbody|thead|option|br|hr|img|meta|link|input|col|wbr|source|area|base)$/i;
const depthMax = 1_000;

/** Omits the rest of a page that nests too deeply: parsing it would block other calls. */
function untilTooDeep(html: string): string {
  let depth = 0;
  for (const { 1: closing, 2: tag, index } of html.matchAll(/<(\/?)([a-z][a-z\d]*)/gi)) {
    if (shallow.test(tag!)) continue;
    depth = closing ? Math.max(0, depth - 1) : depth + 1;
    if (depth > depthMax) return html.slice(0, index);
  }
  return html;
}

const line = (text: string | undefined): string | null =>
  decode(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1_000) || null;

function descriptionOf(source: string): string | null {
  for (const [tag] of source.slice(0, 100_000).matchAll(/<meta\s[^>]{1,4000}>/gi)) {
    if (!/\b(?:name|property)\s*=\s*["']?(?:og:)?description\b/i.test(tag)) continue;
    const content = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
    const description = line(content?.[1] ?? content?.[2]);
    if (description !== null) return description;
  }
  return null;
}

/** The page's own word for where its content is; else all of it. */
function mainPart(source: string): string {
  for (const tag of ['main', 'article']) {
    const start = source.search(new RegExp(`<${tag}[\\s>]`, 'i'));
    const end = source.toLowerCase().lastIndexOf(`</${tag}`);
    if (start >= 0 && end > start) return source.slice(start, end);
  }
  return source;
}

function markdownOf(html: string, address: string): { markdown: string; isWhole: boolean } {
  const { html: clean } = sanitise(html, {
    allowedTags: [...kept, ...alsoKept, ...tables],
    allowedAttributes: { a: ['href'], img: ['src', 'alt'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    nonTextTags: [...besides, ...alsoBesides],
    nestingLimit: 200,
  });
  const writer = new MarkdownWriter((target) => absolute(target, address), charactersAnswered);
  let at = 0;
  for (const match of clean.matchAll(/<(\/?)([a-z\d]+)((?: [a-z-]+="[^"]*")*) ?\/?>/g)) {
    writer.text(decode(clean.slice(at, match.index)));
    if (writer.isFull) return { markdown: writer.finish(), isWhole: false };
    at = match.index + match[0].length;
    const [, closing, tag, attributes] = match;
    if (closing) writer.close(tag!);
    else {
      const pairs = [...attributes!.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, decode(value!)]);
      writer.open(tag!, Object.fromEntries(pairs) as Record<string, string>);
    }
  }
  writer.text(decode(clean.slice(at)));
  return { markdown: writer.finish(), isWhole: true };
}

function absolute(target: string, base: string): string | null {
  try {
    const { href, protocol } = new URL(target, base);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href.replace(/[()\s]/g, encodeURIComponent) : null;
  } catch {
    return null;
  }
}
