import type { Block, Direction } from '../block/block.js';
import { CLOSE_TABLE, openTable } from './layout-table.js';
import type { SegmentWriter } from '../template/segment-writer.js';
import { onCard, startOf } from './render-context.js';
import { CARD_PADDING, FONT, MAIL_WIDTH, STYLE_BLOCKS, THEME } from './theme.js';
import type { Text } from '../variable/variable.js';
import { HtmlWriter } from './write-html.js';

export interface MailContent {
  subject: Text;
  preview: Text | null;
  blocks: Block[];
  footer: Block[];
  language: string;
  direction: Direction;
}

/** Fills the inbox line behind the preview, so that no words of the mail follow it there. */
const PREVIEW_PADDING = '&#8199;&#847;&zwnj; '.repeat(60);

/** Outlook for Windows: real pixels at high resolutions, and a font it has. */
const OUTLOOK_HEAD =
  '<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch>' +
  '</o:OfficeDocumentSettings></xml></noscript><style>table{border-collapse:collapse}' +
  "td,th,p,a,li,h1,h2,h3,div,span{font-family:'Segoe UI',Arial,sans-serif!important}</style><![endif]-->";

const writeHead = (out: SegmentWriter, subject: Text): void => {
  out.put(
    '<head>\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8">\n',
    '<meta name="viewport" content="width=device-width,initial-scale=1">\n',
    '<meta name="x-apple-disable-message-reformatting">\n',
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">\n',
    '<meta name="color-scheme" content="light dark">\n<meta name="supported-color-schemes" content="light dark">\n',
    '<title>',
  );
  out.text(subject, 'html').put('</title>\n', OUTLOOK_HEAD, '\n');
  for (const css of STYLE_BLOCKS) out.put(`<style>${css}</style>\n`);
  out.put('</head>\n');
};

const writePreview = (out: SegmentWriter, preview: Text): void => {
  out.put(
    '<div style="display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all">',
  );
  out.text(preview, 'html').put(PREVIEW_PADDING, '</div>\n');
};

/** An author's own page brings its margins along: one table in `html`, and nothing else but footers. */
const isOwnPage = (blocks: Block[]): boolean => {
  const [first, ...others] = blocks;
  if (first?.kind !== 'fragment' || first.markdown || others.some(({ kind }) => kind !== 'footer')) return false;
  const opening = first.tokens.find((token) => token.kind !== 'text' || token.text.join('').trim() !== '');
  return opening?.kind === 'open' && (opening.tag === 'table' || opening.tag === 'center');
};

const OUTLOOK_OPEN =
  `\n<!--[if mso]><table role="presentation" width="${MAIL_WIDTH}" align="center" cellpadding="0" cellspacing="0" ` +
  'border="0"><tr><td><![endif]-->\n';
const OUTLOOK_CLOSE = '<!--[if mso]></td></tr></table><![endif]-->\n';

const writeCard = (out: SegmentWriter, blocks: Block[], direction: Direction): void => {
  const bare = isOwnPage(blocks);
  const around = onCard(direction, bare);
  const face = THEME.card.light;
  const padding = bare ? '0' : `${CARD_PADDING}px`;
  const table =
    `${bare ? '' : ' class="cd"'} width="100%" bgcolor="${face}" style="max-width:${MAIL_WIDTH}px;margin:0 auto;` +
    `background-color:${face};border-radius:8px;border-collapse:separate;table-layout:fixed"`;
  const cell = `${bare ? '' : ' class="ce"'} align="${startOf(around)}" style="padding:${padding};font-family:${FONT};word-break:break-word"`;
  out.put(openTable(table, cell), '\n');
  new HtmlWriter(out).blocks(blocks, around);
  out.put('\n', CLOSE_TABLE, '\n');
};

const writeFooter = (out: SegmentWriter, footer: Block[], direction: Direction): void => {
  const table = ` width="100%" style="max-width:${MAIL_WIDTH}px;margin:0 auto"`;
  out.put(openTable(table, ` align="center" style="padding:20px 16px 0;font-family:${FONT}"`));
  new HtmlWriter(out).blocks(footer, { ...onCard(direction, false), muted: true, align: 'center' });
  out.put(CLOSE_TABLE, '\n');
};

/** Writes the whole page: a card of 600 pixels that shrinks with the screen, the organization's footer below it. */
export const writeMail = (out: SegmentWriter, parts: MailContent): void => {
  const { subject, preview, blocks, footer, language, direction } = parts;
  const page = THEME.page.light;
  const locale = `lang="${language}" dir="${direction}"`;
  out.put(
    `<!doctype html>\n<html ${locale} xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">\n`,
  );
  writeHead(out, subject);
  out.put(`<body class="pg" style="margin:0;padding:0;background-color:${page}">\n`);
  if (preview !== null) writePreview(out, preview);
  out.put(
    `<div role="article" aria-roledescription="email" ${locale}>\n`,
    openTable(
      ` class="pg" width="100%" bgcolor="${page}" style="background-color:${page}"`,
      ' align="center" style="padding:24px 8px"',
    ),
    OUTLOOK_OPEN,
  );
  writeCard(out, blocks, direction);
  if (footer.length > 0) writeFooter(out, footer, direction);
  out.put(OUTLOOK_CLOSE, CLOSE_TABLE, '\n</div>\n', out.builder.pixel(), '</body>\n</html>\n');
};
