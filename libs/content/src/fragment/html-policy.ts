import type { IOptions } from 'sanitize-html';

const TAGS = (
  'h1 h2 h3 h4 h5 h6 p div span a img br hr ul ol li dl dt dd table thead tbody tfoot tr td th caption col colgroup ' +
  'blockquote pre code kbd samp var b strong i em u s del ins strike small sub sup font center mark abbr cite q ' +
  'address section article header footer main nav aside figure figcaption time wbr bdi bdo ruby rt rp'
).split(' ');

const DROPPED_WITH_CONTENT =
  'script style title textarea option select xmp iframe noembed noframes plaintext object applet audio video canvas'.split(
    ' ',
  );

/** Tags of a whole page around a body; their removal is not reported. */
export const PAGE_TAGS: ReadonlySet<string> = new Set(['html', 'head', 'body', 'meta', 'title', 'tbody']);

const PLAIN = /^[\w\s#.,%!+/-]{1,200}$/u;
const FONTS = /^[\w\s,'"-]{1,300}$/u;
const COLORS = /^(?:[\w\s#.,%!/-]|(?:rgb|hsl)a?\([\d\s.,%/+-]{1,60}\)){1,200}$/iu;

const styles = (names: string, pattern: RegExp): Record<string, RegExp[]> =>
  Object.fromEntries(names.split(' ').map((name) => [name, [pattern]]));
const sided = (name: string, of: string): string =>
  [name, ...['top', 'right', 'bottom', 'left'].map((side) => `${name}-${side}${of}`)].join(' ');

/** Decision: properties that mail clients honour and that cannot load, overlay or run anything. */
const STYLES = {
  ...styles(
    'font font-size font-style font-weight line-height letter-spacing text-align text-decoration text-indent ' +
      'text-transform vertical-align white-space word-break overflow-wrap word-wrap direction display float clear ' +
      'width height max-width min-width max-height min-height list-style list-style-type border-collapse ' +
      'border-spacing border-radius border-style border-width table-layout opacity ' +
      `${sided('margin', '')} ${sided('padding', '')} ${sided('border', '-width').replace('border ', '')} ` +
      sided('border', '-style').replace('border ', ''),
    PLAIN,
  ),
  ...styles('font-family', FONTS),
  ...styles(`color background background-color ${sided('border', '')} border-color outline`, COLORS),
};

/** What HTML of an author may hold. The address rules of links are checked apart, so that they can be reported. */
export const HTML_POLICY: IOptions = {
  allowedTags: TAGS,
  nonTextTags: DROPPED_WITH_CONTENT,
  allowedAttributes: {
    '*': [
      'style',
      'align',
      'valign',
      'dir',
      'lang',
      'title',
      'width',
      'height',
      'bgcolor',
      'role',
      'aria-label',
      'aria-hidden',
    ],
    a: ['href'],
    img: ['src', 'alt', 'border'],
    table: ['border', 'cellpadding', 'cellspacing', 'summary'],
    td: ['colspan', 'rowspan', 'nowrap'],
    th: ['colspan', 'rowspan', 'nowrap', 'scope'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'type', 'reversed'],
    ul: ['type'],
    li: ['value'],
    font: ['color', 'face', 'size'],
    time: ['datetime'],
  },
  allowedStyles: { '*': STYLES },
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
  allowProtocolRelative: true,
  disallowedTagsMode: 'discard',
};
