import {
  isColor,
  readAlign,
  readDirection,
  readPercent,
  readPixels,
  readRadius,
  readSides,
  readWord,
} from './attribute.js';
import { addressProblem } from '../variable/link-target.js';
import { canonicalName } from '../variable/variable.js';

export type AttributeRule = (value: unknown) => string | null;

export interface NodeRule {
  group: 'block' | 'inline' | 'structure';
  /** `inline`: text and the like; `flow`: blocks or text; a name: only that node; null: nothing. */
  content: 'inline' | 'flow' | 'text' | 'row' | string | null;
  attributes: Record<string, AttributeRule>;
  required?: string[];
}

const expects =
  (test: (value: unknown) => boolean, expected: string): AttributeRule =>
  (value) =>
    test(value) ? null : `must be ${expected}`;

const isText = (value: unknown): value is string => typeof value === 'string';
const text = expects((value) => isText(value) || typeof value === 'number', 'text');
const flag = expects((value) => typeof value === 'boolean' || value === 'true' || value === 'false', 'true or false');
const color = expects((value) => value === '' || isColor(value), 'a CSS colour (#rrggbb, rgb(…) or a colour name)');
const align = expects((value) => readAlign(value) !== null, 'left, center, right or justify');
const direction = expects((value) => readDirection(value) !== null || value === 'auto', 'ltr or rtl');
const pixels = expects((value) => readPixels(value) !== null, 'a number of pixels');
const numberOf = (value: unknown): number => (typeof value === 'number' || isText(value) ? Number(value) : NaN);
const count = expects((value) => Number.isInteger(numberOf(value)) && numberOf(value) >= 0, 'a whole number');
const size = expects(
  (value) => readPixels(value) !== null || value === 'auto' || readPercent(value) !== null,
  'a number of pixels or "auto"',
);
const sides = expects(
  (value) => readSides({ padding: value }, 'padding', [-1, -1, -1, -1])[0] !== -1,
  'pixels, one to four numbers',
);
const radius = expects((value) => readRadius(value, -1) >= 0, 'sharp, smooth, round or a number of pixels');
const word = (...words: string[]): AttributeRule =>
  expects((value) => readWord(value, words) !== null, `one of ${words.join(', ')}`);
const variableName = expects((value) => isText(value) && canonicalName(value) !== null, 'the name of a variable');
const numbers = expects(
  (value) => [value].flat().every((item) => item === null || Number.isFinite(numberOf(item))),
  'a number or a list of numbers',
);
/** Groups of filters nest to depth 3; this is well past it and keeps hostile depth away. */
const isShallow = (value: unknown, levels = 16): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((v) => isShallow(v, levels - 1)));

const address =
  (kind: 'link' | 'image'): AttributeRule =>
  (value) =>
    isText(value) ? addressProblem(value, kind) : 'must be an address';
const link = address('link');
const imageAddress = address('image');

/** A list of filters; what each says is checked against the audience when the campaign is saved. */
const filters = expects(
  (value) =>
    Array.isArray(value) &&
    value.length <= 100 &&
    isShallow(value) &&
    value.every(
      (filter) => typeof filter === 'object' && filter !== null && isText((filter as { type?: unknown }).type),
    ),
  'a list of at most 100 filters ({type, field, operator, …})',
);

const shown = {
  showIf: filters,
  showIfKey: expects((v) => v === '' || variableName(v) === null, 'the name of a variable'),
};
const aligned = { textAlign: align, textDirection: direction, dir: direction };
const padding = {
  padding: sides,
  paddingTop: pixels,
  paddingRight: pixels,
  paddingBottom: pixels,
  paddingLeft: pixels,
};
const margin = { margin: sides, marginTop: pixels, marginRight: pixels, marginBottom: pixels, marginLeft: pixels };
const picture = {
  src: imageAddress,
  isSrcVariable: flag,
  alt: text,
  title: text,
  width: size,
  height: size,
  href: link,
  externalLink: link,
  isExternalLinkVariable: flag,
  aspectRatio: numbers,
  lockAspectRatio: flag,
};
const kind = { 'maily-component': text, mailyComponent: text };

const block = (
  content: NodeRule['content'],
  attributes: NodeRule['attributes'] = {},
  required: string[] = [],
): NodeRule => ({ group: 'block', content, attributes: { ...shown, ...attributes }, required });
const inline = (attributes: NodeRule['attributes'], required: string[] = []): NodeRule => ({
  group: 'inline',
  content: null,
  attributes,
  required,
});
const part = (content: NodeRule['content'], attributes: NodeRule['attributes'] = {}): NodeRule => ({
  group: 'structure',
  content,
  attributes,
});

const cell = { colspan: count, rowspan: count, colwidth: numbers, align, textAlign: align };
const html = block('text', { content: text, html: text, language: text, activeTab: text });
const repeat = block('flow', { each: text, isUpdatingKey: flag });

/** Every node of a document with its attributes; Maily's own names and those of the API text. */
export const NODE_RULES: ReadonlyMap<string, NodeRule> = new Map(
  Object.entries({
    paragraph: block('inline', aligned),
    heading: block('inline', {
      ...aligned,
      level: expects((value) => [1, 2, 3].includes(numberOf(value)), '1, 2 or 3'),
    }),
    blockquote: block('flow', aligned),
    codeBlock: block('text', { language: text }),
    bulletList: block('listItem', aligned),
    orderedList: block('listItem', { ...aligned, start: count, type: text }),
    listItem: part('flow', { ...shown, ...aligned, color }),
    horizontalRule: block(null),
    button: block(null, {
      ...padding,
      text,
      isTextVariable: flag,
      url: link,
      isUrlVariable: flag,
      variant: word('filled', 'outline'),
      buttonColor: color,
      textColor: color,
      borderRadius: radius,
      alignment: align,
    }),
    image: block(null, { ...picture, alignment: align, borderRadius: radius }, ['src']),
    logo: block(
      null,
      {
        ...picture,
        ...kind,
        alignment: align,
        size: (value) => (word('sm', 'md', 'lg')(value) === null ? null : pixels(value)),
      },
      ['src'],
    ),
    inlineImage: inline(picture, ['src']),
    spacer: block(null, { height: (value) => (word('sm', 'md', 'lg', 'xl')(value) === null ? null : pixels(value)) }),
    section: block('flow', {
      ...padding,
      ...margin,
      backgroundColor: color,
      align,
      border: text,
      borderWidth: pixels,
      borderColor: color,
      borderStyle: word('solid', 'dashed', 'dotted', 'none'),
      borderRadius: radius,
    }),
    columns: block('column', { gap: pixels }),
    column: part('flow', {
      ...shown,
      columnId: text,
      width: expects(
        (value) => value === 'auto' || readPercent(value) !== null,
        'a percentage from 1 to 100 or "auto"',
      ),
      verticalAlign: word('top', 'middle', 'bottom'),
    }),
    footer: block('flow', { ...aligned, ...kind }),
    html,
    htmlCodeBlock: html,
    linkCard: block(null, {
      ...kind,
      title: text,
      description: text,
      link,
      linkTitle: text,
      image: imageAddress,
      subTitle: text,
      badgeText: text,
    }),
    snippet: block(null, { snippetId: text, name: text }, ['snippetId']),
    repeat,
    for: repeat,
    table: block('tableRow'),
    tableRow: part('row'),
    tableCell: part('flow', cell),
    tableHeader: part('flow', cell),
    text: { group: 'inline', content: null, attributes: {} },
    hardBreak: inline({}),
    variable: inline(
      {
        id: variableName,
        label: text,
        fallback: text,
        required: flag,
        hideDefaultValue: flag,
      },
      ['id'],
    ),
  } satisfies Record<string, NodeRule>),
);

export const MARK_RULES: ReadonlyMap<string, Record<string, AttributeRule>> = new Map(
  Object.entries<Record<string, AttributeRule>>({
    bold: {},
    italic: {},
    underline: {},
    strike: {},
    code: {},
    link: { href: link, target: text, rel: text, class: text, title: text, isUrlVariable: flag },
    textStyle: { color },
  }),
);
