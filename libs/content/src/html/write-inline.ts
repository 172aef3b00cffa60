import type { Inline, Picture, TextStyle } from '../block/block.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { SegmentWriter } from '../template/segment-writer.js';
import { classOf, toneOf } from './render-context.js';
import type { RenderContext } from './render-context.js';
import { MONO, isDark } from './theme.js';

export const sameLink = (inline: Inline | undefined, link: LinkTarget): boolean =>
  inline?.kind === 'text' &&
  inline.link !== null &&
  (inline.link === link || JSON.stringify(inline.link) === JSON.stringify(link));

const styleTags = (style: TextStyle, around: RenderContext): [open: string, close: string][] => {
  const tags: [string, string][] = [];
  if (style.color !== null) {
    const lost = around.background === null && isDark(style.color);
    tags.push([`<span${classOf(lost ? 'tx' : '')} style="color:${style.color}">`, '</span>']);
  }
  if (style.bold) tags.push(['<strong>', '</strong>']);
  if (style.italic) tags.push(['<em>', '</em>']);
  if (style.underline) tags.push(['<u>', '</u>']);
  if (style.strike) tags.push(['<s>', '</s>']);
  if (style.code) {
    const { color, name } = toneOf(around, 'code');
    const look = `padding:2px 4px;background-color:${color};border-radius:4px;font-family:${MONO};font-size:90%`;
    tags.push([`<code${classOf(name)} style="${look}">`, '</code>']);
  }
  return tags;
};

/**
 * Writes a picture no wider than its place; Outlook always gets a width, since it ignores max-width. Clients that do
 * not load pictures show the alternative text, so a picture on its own has the colour of text.
 */
export const writePicture = (
  out: SegmentWriter,
  { src, alt, width, height, radius, link }: Picture,
  around: RenderContext,
  display: 'block' | 'inline-block',
): void => {
  const shown = width === null ? null : Math.min(width, around.width);
  const tall = height === null || shown !== width ? null : height;
  const text = display === 'block' && alt.length > 0 ? toneOf(around, 'text') : null;
  const style =
    `display:${display};${display === 'block' ? '' : 'vertical-align:middle;'}max-width:100%;border:0;` +
    `height:${width === null && tall !== null ? `${tall}px` : 'auto'}${radius > 0 ? `;border-radius:${radius}px` : ''}` +
    (text === null ? '' : `;font-size:14px;color:${text.color}`);
  if (link !== null) out.put('<a href="', out.builder.href(link), '" target="_blank">');
  out.put(`<img${classOf(text?.name ?? '')} src="`, out.builder.src(src), '" alt="').text(alt, 'html');
  out.put(`"${shown === null ? '' : ` width="${shown}"`}${tall === null ? '' : ` height="${tall}"`} style="${style}">`);
  if (link !== null) out.put('</a>');
};

const writeInline = (out: SegmentWriter, inline: Inline, around: RenderContext): void => {
  if (inline.kind === 'break') out.put('<br>');
  else if (inline.kind === 'picture') writePicture(out, inline.picture, around, 'inline-block');
  else {
    const tags = styleTags(inline.style, around);
    out.put(...tags.map(([open]) => open)).text(inline.text, 'html');
    out.put(...tags.map(([, close]) => close).reverse());
  }
};

/** Writes a run of text; neighbours with the same link share one `<a>`. */
export const writeInlines = (out: SegmentWriter, inlines: Inline[], around: RenderContext): void => {
  for (let at = 0; at < inlines.length;) {
    const inline = inlines[at]!;
    const link = inline.kind === 'text' ? inline.link : null;
    let end = at + 1;
    while (link !== null && sameLink(inlines[end], link)) end += 1;
    if (link !== null) {
      const { color, name } = toneOf(around, around.muted ? 'muted' : 'link');
      out.put('<a href="', out.builder.href(link), `" target="_blank"${classOf(name)}`);
      out.put(` style="color:${color};text-decoration:underline">`);
    }
    for (const run of inlines.slice(at, end)) writeInline(out, run, around);
    if (link !== null) out.put('</a>');
    at = end;
  }
};
