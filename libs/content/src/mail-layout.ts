import type { Block, Direction } from './block.js';
import type { SegmentWriter } from './segment-writer.js';
import { onCard } from './surroundings.js';
import { CARD_PADDING, FONT, MAIL_WIDTH, STYLE_BLOCKS, THEME } from './theme.js';
import type { Text } from './variable.js';
import { HtmlWriter, openTable } from './write-html.js';

/** What the page around the blocks is made of. */
export interface MailParts {
  subject: Text;
  preview: Text | null;
  blocks: Block[];
  footer: Block[];
  language: string;
  direction: Direction;
}

/** Fills the inbox line behind the preview, so that no words of the mail follow it there. */
const PREVIEW_PADDING = '&#8199;&#847;&zwnj; '.repeat(60);

/** Outlook for Windows: real pixels at high resolutions, and a font it knows. */
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

/** Writes the whole page: a card of 600 pixels that shrinks with the screen, the organization's footer below it. */
export const writeMail = (
  out: SegmentWriter,
  { subject, preview, blocks, footer, language, direction }: MailParts,
): void => {
  const html = new HtmlWriter(out);
  const around = onCard(direction);
  const page = THEME.page.light;
  out.put(
    `<!doctype html>\n<html lang="${language}" dir="${direction}" xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">\n`,
  );
  writeHead(out, subject);
  out.put(`<body class="pg" style="margin:0;padding:0;background-color:${page}">\n`);
  if (preview !== null) writePreview(out, preview);
  out.put(
    `<div role="article" aria-roledescription="email" lang="${language}" dir="${direction}">\n`,
    openTable(
      ` width="100%" bgcolor="${page}" class="pg" style="background-color:${page}"`,
      ' align="center" style="padding:24px 8px"',
    ),
    `\n<!--[if mso]><table role="presentation" width="${MAIL_WIDTH}" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->\n`,
    openTable(
      ` width="100%" class="cd" bgcolor="${THEME.card.light}" style="max-width:${MAIL_WIDTH}px;margin:0 auto;background-color:${THEME.card.light};border-radius:8px;border-collapse:separate"`,
      ` class="ce" align="${direction === 'rtl' ? 'right' : 'left'}" style="padding:${CARD_PADDING}px;font-family:${FONT}"`,
    ),
    '\n',
  );
  html.blocks(blocks, around);
  out.put('\n</td></tr></table>\n');
  if (footer.length > 0) {
    out.put(
      openTable(
        ` width="100%" style="max-width:${MAIL_WIDTH}px;margin:0 auto"`,
        ` align="center" style="padding:20px 16px 0;font-family:${FONT}"`,
      ),
    );
    html.blocks(footer, { ...around, muted: true, align: 'center' });
    out.put('</td></tr></table>\n');
  }
  out.put(
    '<!--[if mso]></td></tr></table><![endif]-->\n</td></tr></table>\n</div>\n',
    out.builder.pixel(),
    '</body>\n</html>\n',
  );
};
