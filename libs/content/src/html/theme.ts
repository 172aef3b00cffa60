export const THEME = {
  page: { light: '#f3f4f6', dark: '#111315' },
  card: { light: '#ffffff', dark: '#1c1f23' },
  text: { light: '#374151', dark: '#d7dade' },
  heading: { light: '#111827', dark: '#f3f4f6' },
  muted: { light: '#6b7280', dark: '#9aa1ab' },
  link: { light: '#1d4ed8', dark: '#8ab4f8' },
  line: { light: '#e5e7eb', dark: '#3a3f46' },
  code: { light: '#f3f4f6', dark: '#2a2e34' },
  button: { light: '#111827', dark: '#f3f4f6' },
  buttonText: { light: '#ffffff', dark: '#111827' },
} as const;

/** The width most mail is read at; wider is cut by Outlook's reading pane. */
export const MAIL_WIDTH = 600;
export const CARD_PADDING = 32;
/** What fits a narrow phone (360 px) within the card; wider parts of an author's HTML are fitted to the screen. */
export const PHONE_CONTENT_WIDTH = 300;
export const CONTENT_WIDTH = MAIL_WIDTH - 2 * CARD_PADDING;

export const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Noto Sans',sans-serif";
export const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";

type Channel = [red: number, green: number, blue: number];

const channels = (color: string): Channel | null => {
  const short = /^#([\da-f])([\da-f])([\da-f])[\da-f]?$/iu.exec(color);
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?:[\da-f]{2})?$/iu.exec(color);
  const functional = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/iu.exec(color);
  if (short) return short.slice(1, 4).map((digit) => parseInt(digit + digit, 16)) as Channel;
  if (long) return long.slice(1, 4).map((digits) => parseInt(digits, 16)) as Channel;
  if (functional) return functional.slice(1, 4).map(Number) as Channel;
  return color.toLowerCase() === 'black' ? [0, 0, 0] : null;
};

/** Whether light text is the readable one on a background (relative luminance, WCAG 2.2; names count as light). */
export const isDark = (color: string): boolean => {
  const rgb = channels(color);
  if (rgb === null) return false;
  const [red, green, blue] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Channel;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.18;
};

const darkRules = (scope: string): string => {
  const { page, card, text, heading, muted, link, line, code, button, buttonText } = THEME;
  const rules: [string, string][] = [
    ['.pg', `background-color:${page.dark}`],
    ['.cd', `background-color:${card.dark}`],
    ['.tx', `color:${text.dark}`],
    ['.hd', `color:${heading.dark}`],
    ['.mt', `color:${muted.dark}`],
    ['.lk', `color:${link.dark}`],
    ['.ln', `border-color:${line.dark}`],
    ['.co', `background-color:${code.dark}`],
    ['.bt', `background-color:${button.dark}`],
    ['.bl', `color:${buttonText.dark}`],
    ['.bo', `border-color:${button.dark}`],
  ];
  return rules.map(([name, rule]) => `${scope}${name}{${rule}!important}`).join('');
};

/**
 * The style blocks of the head: one each for resets, phones and dark mode, since Gmail drops a whole block when it
 * contains a rule that Gmail does not support. Outlook.com marks dark mode by an attribute instead of a media query.
 */
export const STYLE_BLOCKS: readonly string[] = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
    'body{margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}' +
    'table{border-spacing:0}img{-ms-interpolation-mode:bicubic}' +
    'a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}',
  '@media only screen and (max-width:620px){' +
    '.ce{padding:24px 20px!important}' +
    '.cl{display:block!important;width:100%!important;box-sizing:border-box!important;padding:0 0 16px!important}' +
    '.im{max-width:100%!important;min-width:0!important;height:auto!important}' +
    '.fl{width:auto!important;max-width:100%!important;min-width:0!important}' +
    'table.fl{width:100%!important}}',
  `@media (prefers-color-scheme:dark){${darkRules('')}}`,
  darkRules('[data-ogsc] '),
];
