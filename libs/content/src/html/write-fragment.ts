import type { Block, HtmlAttribute, HtmlToken } from '../block/block.js';
import { VOID_TAGS } from '../fragment/sanitise.js';
import type { SegmentWriter } from '../template/segment-writer.js';
import { classOf, toneOf } from './render-context.js';
import type { RenderContext } from './render-context.js';
import { FONT, MAIL_WIDTH, MONO, PHONE_CONTENT_WIDTH, THEME } from './theme.js';
import type { Text } from '../variable/variable.js';

interface BlockWriter {
  out: SegmentWriter;
  blocks(blocks: Block[], around: RenderContext): void;
}

interface Look {
  name: string;
  style: string;
}

const markdownLook = (tag: string, around: RenderContext, first: boolean): Look => {
  const text = toneOf(around, around.muted ? 'muted' : 'text');
  const heading = toneOf(around, 'heading');
  const line = toneOf(around, 'line');
  const code = toneOf(around, 'code');
  const body = `font-size:16px;line-height:1.6;color:${text.color}`;
  const title = (size: number): Look => ({
    name: heading.name,
    style: `margin:${first ? 0 : 8}px 0 16px;font-size:${size}px;line-height:1.3;color:${heading.color};font-weight:700`,
  });
  const indent = around.direction === 'rtl' ? '0 24px 0 0' : '0 0 0 24px';
  const cell = `padding:8px 10px;border:1px solid ${line.color};vertical-align:top;font-family:${FONT};${body}`;
  switch (tag) {
    case 'p':
      return { name: text.name, style: `margin:0 0 20px;${body}` };
    case 'h1':
      return title(28);
    case 'h2':
      return title(22);
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return title(tag === 'h3' ? 18 : 16);
    case 'ul':
    case 'ol':
      return { name: text.name, style: `margin:0 0 20px;padding:${indent};${body}` };
    case 'li':
      return { name: '', style: 'margin:0 0 8px' };
    case 'blockquote': {
      const side = around.direction === 'rtl' ? 'border-right' : 'border-left';
      return { name: line.name, style: `margin:0 0 20px;padding:0 16px;${side}:4px solid ${line.color}` };
    }
    case 'a': {
      const link = toneOf(around, 'link');
      return { name: link.name, style: `color:${link.color};text-decoration:underline` };
    }
    case 'table':
      return { name: '', style: 'margin:0 0 20px;border-collapse:collapse;width:100%' };
    case 'th':
    case 'td':
      return { name: [text.name, line.name].filter(Boolean).join(' '), style: cell };
    case 'hr':
      return { name: line.name, style: `margin:24px 0;border:0;border-top:1px solid ${line.color}` };
    case 'pre':
      return {
        name: [text.name, code.name].filter(Boolean).join(' '),
        style: `margin:0 0 20px;padding:12px 16px;background-color:${code.color};border-radius:6px;font-family:${MONO};font-size:14px;line-height:1.5;color:${text.color};white-space:pre-wrap;word-break:break-word`,
      };
    case 'code':
      return { name: '', style: `font-family:${MONO};font-size:90%` };
    case 'img':
      return { name: '', style: 'max-width:100%;height:auto;border:0' };
    default:
      return { name: '', style: '' };
  }
};

const BARE: Look = { name: '', style: '' };
/**
 * A link without a colour of its own must not take the pale one of a dark client, because the author's HTML has a
 * background that stays light.
 */
const FITTED: Record<string, Look> = {
  a: { name: '', style: `color:${THEME.link.light}` },
  img: { name: '', style: 'max-width:100%;height:auto' },
  table: { name: '', style: 'max-width:100%' },
};

/** @returns the largest width that an author's attributes demand, in pixels; 0 without one */
const demandedWidth = (tag: string, attributes: HtmlAttribute[]): number => {
  const limits = tag === 'img' ? '(?:min-|max-)?' : '(?:min-)?';
  const styleWidth = new RegExp(`(?:^|;)\\s*${limits}width\\s*:\\s*(\\d+)(?:\\.\\d+)?px`, 'giu');
  const widths = attributes.flatMap((attribute) => {
    if ('target' in attribute) return [];
    const text = attribute.value.filter((part) => typeof part === 'string').join('');
    if (attribute.name === 'width') return /^\s*(\d+)(?:\.\d+)?(?:px)?\s*$/iu.exec(text)?.[1] ?? [];
    return attribute.name === 'style' ? [...text.matchAll(styleWidth)].map(([, width]) => width) : [];
  });
  return Math.max(0, ...widths.map(Number));
};

/**
 * What an author made wider than the screen is fitted to it, since their own widths would outdo the look: wider than a
 * phone by a class, whose rules hold on phones; wider than any mail by the end of the style.
 */
const fitted = (tag: string, attributes: HtmlAttribute[]): Look => {
  const width = demandedWidth(tag, attributes);
  const size = tag === 'img' ? 'height:auto' : `width:${tag === 'table' ? '100%' : 'auto'}`;
  return {
    name: width <= PHONE_CONTENT_WIDTH ? '' : tag === 'img' ? 'im' : 'fl',
    style: width <= MAIL_WIDTH ? '' : `max-width:100%;min-width:0;${size}`,
  };
};

const writeTag = (writer: BlockWriter, tag: string, attributes: HtmlAttribute[], look: Look): void => {
  const { out } = writer;
  const fit = fitted(tag, attributes);
  out.put(`<${tag}${classOf(look.name, fit.name)}`);
  const own: Text = [];
  for (const attribute of attributes) {
    if ('target' in attribute) {
      const { name, target } = attribute;
      out.put(` ${name}="`, name === 'href' ? out.builder.href(target) : out.builder.src(target), '"');
    } else if (attribute.name === 'style') {
      own.push(...attribute.value);
    } else out.put(` ${attribute.name}="`).text(attribute.value, 'html').put('"');
  }
  if (tag === 'img' && !attributes.some(({ name }) => name === 'alt')) out.put(' alt=""');
  if (tag === 'a') out.put(' target="_blank"');
  if (look.style !== '' || own.length > 0 || fit.style !== '') {
    out
      .put(` style="${look.style}${look.style !== '' && own.length > 0 ? ';' : ''}`)
      .text(own, 'html')
      .put(fit.style === '' ? '"' : `${look.style !== '' || own.length > 0 ? ';' : ''}${fit.style}"`);
  }
  out.put('>');
};

const withoutSpace = ({ name, style }: Look): Look => ({ name, style: style.replace('margin:0 0 20px', 'margin:0') });

export const writeFragment = (
  { markdown, tokens }: Extract<Block, { kind: 'fragment' }>,
  writer: BlockWriter,
  around: RenderContext,
): void => {
  const open: string[] = [];
  const last = lastBlock(tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'text') writer.out.text(token.text, 'html');
    else if (token.kind === 'blocks') writer.blocks(token.blocks, around);
    else if (token.kind === 'close') {
      open.pop();
      writer.out.put(`</${token.tag}>`);
    } else {
      const inPre = token.tag === 'code' && open.at(-1) === 'pre';
      const look = markdown && !inPre ? markdownLook(token.tag, around, index === 0) : (FITTED[token.tag] ?? BARE);
      writeTag(writer, token.tag, token.attributes, index === last || open.includes('li') ? withoutSpace(look) : look);
      if (!VOID_TAGS.has(token.tag)) open.push(token.tag);
    }
  }
};

const lastBlock = (tokens: HtmlToken[]): number => {
  let depth = 0;
  let last = -1;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'close') depth -= 1;
    else if (token.kind === 'open') {
      if (depth === 0) last = index;
      if (!VOID_TAGS.has(token.tag)) depth += 1;
    } else if (depth === 0 && token.kind === 'blocks') last = -1;
  }
  return last;
};
