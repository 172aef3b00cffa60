import type { Align, Direction, Sides } from '../block/block.js';

export type Attributes = Record<string, unknown>;

/** Colours as CSS writes them; nothing else may reach a style attribute. */
const COLOR =
  /^(?:#[\da-f]{3,4}|#[\da-f]{6}|#[\da-f]{8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/+-]{1,60}(?:deg)?[\d\s.,%/+-]{0,40}\))$/iu;
const LENGTH_MAX = 2_000;

export const isColor = (value: unknown): value is string => typeof value === 'string' && COLOR.test(value.trim());

export const readColor = (value: unknown): string | null => (isColor(value) ? value.trim() : null);

/** A size in pixels from 12, '12' or '12px'; null for anything else (`auto`, percentages, nonsense). */
export const readPixels = (value: unknown): number | null => {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const found = /^(\d{1,5}(?:\.\d{1,3})?)(?:px)?$/u.exec(text);
  return found ? Math.min(Math.round(Number(found[1])), LENGTH_MAX) : null;
};

export const readText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

export const readWord = <W extends string>(value: unknown, words: readonly W[]): W | null => {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return words.find((word) => word === text) ?? null;
};

export const ALIGNS = ['left', 'center', 'right', 'justify'] as const;

/** An alignment; `start` and `end` are read as left to right. */
export const readAlign = (value: unknown): Align | null => {
  const word = readWord(value, [...ALIGNS, 'start', 'end'] as const);
  return word === 'start' ? 'left' : word === 'end' ? 'right' : word;
};

/** A writing direction; null = that of the mail. */
export const readDirection = (value: unknown): Direction | null => readWord(value, ['ltr', 'rtl'] as const);

const shorthand = (value: unknown): Sides | null => {
  const sizes = (typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '')
    .trim()
    .split(/\s+/u)
    .map(readPixels);
  if (sizes.length > 4 || sizes.some((size) => size === null)) return null;
  const [top = 0, right = top, bottom = top, left = right] = sizes as number[];
  return [top, right, bottom, left];
};

/** Padding or margin: `padding` as CSS shorthand, overridden by `paddingTop` and the like. */
export const readSides = (attributes: Attributes, name: 'padding' | 'margin', otherwise: Sides): Sides => {
  const all = shorthand(attributes[name]) ?? otherwise;
  return (['Top', 'Right', 'Bottom', 'Left'] as const).map(
    (side, index) => readPixels(attributes[name + side]) ?? all[index]!,
  ) as Sides;
};

const RADII: Record<string, number> = { none: 0, sharp: 0, smooth: 6, round: 9_999, full: 9_999 };

/** A corner radius: pixels, or Maily's `sharp`, `smooth`, `round`. */
export const readRadius = (value: unknown, otherwise: number): number =>
  (typeof value === 'string' && Object.hasOwn(RADII, value.toLowerCase()) ? RADII[value.toLowerCase()] : null) ??
  readPixels(value) ??
  otherwise;

/** A column's width: 50, '50' or '50%'; null = automatic. */
export const readPercent = (value: unknown): number | null => {
  const found = /^(\d{1,3}(?:\.\d{1,3})?)%?$/u.exec(readText(value).trim());
  const percent = found ? Number(found[1]) : 0;
  return percent > 0 && percent <= 100 ? percent : null;
};
