import { Temporal } from 'temporal-polyfill';
import type { importDateFormats } from '#contracts';

export type DateFormat = (typeof importDateFormats)[number];

const time =
  '(?:(?:\\s*[T,]\\s*|\\s+)(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?\\s*([ap])?\\.?(?:m\\.?)?\\s*(Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?)?$';
const day = '(?:[a-z]{2,9}\\.?,?\\s+)?';
const part = '\\s*[./\\-]\\s*';
const year = '(\\d{4}|\\d{2})';
const monthName = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

type Order = readonly ['y' | 'm' | 'd', 'y' | 'm' | 'd', 'y' | 'm' | 'd'];
const shapes: Record<Exclude<DateFormat, 'unix'>, readonly [RegExp, Order][]> = {
  iso: [
    [new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})${time}`, 'i'), ['y', 'm', 'd']],
    [/^(\d{4})(\d{2})(\d{2})$/, ['y', 'm', 'd']],
  ],
  ymd: [[new RegExp(`^(\\d{4})${part}(\\d{1,2})${part}(\\d{1,2})\\.?${time}`, 'i'), ['y', 'm', 'd']]],
  dmy: [
    [new RegExp(`^${day}(\\d{1,2})${part}(\\d{1,2})${part}${year}${time}`, 'i'), ['d', 'm', 'y']],
    [
      new RegExp(`^${day}(\\d{1,2})(?:st|nd|rd|th|\\.)?[\\s-]*${monthName},?[\\s-]*${year}${time}`, 'i'),
      ['d', 'm', 'y'],
    ],
  ],
  mdy: [
    [new RegExp(`^${day}(\\d{1,2})${part}(\\d{1,2})${part}${year}${time}`, 'i'), ['m', 'd', 'y']],
    [new RegExp(`^${day}${monthName}[\\s-]*(\\d{1,2})(?:st|nd|rd|th)?,?[\\s-]+${year}${time}`, 'i'), ['m', 'd', 'y']],
  ],
};

const [yearMin, yearMax] = [1900, 2999];

/**
 * @param zone IANA name; of times without an offset
 * @returns `YYYY-MM-DD`, or an instant in UTC for a date with a time; null for anything else
 */
export function readDate(text: string, format: DateFormat, zone: string): string | null {
  const trimmed = text.trim();
  if (format === 'unix') return readUnix(trimmed);
  for (const [shape, order] of shapes[format]) {
    const match = shape.exec(trimmed);
    if (match) return toDate(match, order, zone);
  }
  return null;
}

function toDate(match: RegExpExecArray, order: Order, zone: string): string | null {
  const value = (which: Order[number]) => match[order.indexOf(which) + 1]!;
  const y = fullYear(value('y'));
  const m = /^\d/.test(value('m')) ? Number(value('m')) : months.indexOf(value('m').toLowerCase()) + 1;
  const d = Number(value('d'));
  if (y < yearMin || y > yearMax || m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) return null;
  const date = `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
  const [hours, minutes, seconds = '0', fraction = '0', half, offset] = match.slice(4) as (string | undefined)[];
  if (hours === undefined) return date;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59 || (half !== undefined && Number(hours) > 12))
    return null;
  const clock = `${String(hour).padStart(2, '0')}:${minutes}:${seconds.padStart(2, '0')}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (offset !== undefined) {
    const numeric = /^[+-]/.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(-2)}` : 'Z';
    const at = Date.parse(`${date}T${clock}${numeric}`);
    return Number.isNaN(at) ? null : new Date(at).toISOString();
  }
  const local = Temporal.PlainDateTime.from(`${date}T${clock}`);
  return new Date(local.toZonedDateTime(zone).epochMilliseconds).toISOString();
}

const daysIn = (y: number, m: number): number =>
  m === 2 ? (y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0) ? 29 : 28) : [4, 6, 9, 11].includes(m) ? 30 : 31;

/** Two digits as POSIX reads them (strptime, %y): 69 to 99 are 1969 to 1999. */
const fullYear = (text: string): number =>
  text.length === 4 ? Number(text) : Number(text) + (Number(text) >= 69 ? 1900 : 2000);

/** Seconds since 1970, or milliseconds from twelve digits on. */
function readUnix(text: string): string | null {
  if (!/^-?\d{1,14}$/.test(text)) return null;
  const at = new Date(Number(text) * (text.replace('-', '').length >= 12 ? 1 : 1_000));
  const y = at.getUTCFullYear();
  return y >= yearMin && y <= yearMax ? at.toISOString() : null;
}

const candidates = (text: string): readonly DateFormat[] =>
  /^\d{4}\D/.test(text) ? ['iso', 'ymd'] : /^-?\d{6,}$/.test(text) ? ['iso', 'unix'] : ['dmy', 'mdy'];

const formats: readonly DateFormat[] = ['iso', 'ymd', 'dmy', 'mdy', 'unix'];

export class DateInference {
  readonly #fits = formats.map(() => 0);
  /** Of each format, those that have read every value as it did. */
  readonly #same = formats.map(() => formats.map(() => true));
  #values = 0;

  constructor(private readonly zone: string) {}

  add(text: string): void {
    this.#values += 1;
    const possible = candidates(text);
    const read = formats.map((format) => (possible.includes(format) ? readDate(text, format, this.zone) : null));
    for (const [at, date] of read.entries()) {
      if (date !== null) this.#fits[at]! += 1;
      for (let other = 0; other < at; other++) if (read[other] !== date) this.#same[at]![other] = false;
    }
  }

  /** The formats that fit most values and disagree about some; one if there is no doubt, none if no value is a date. */
  get formats(): DateFormat[] {
    const best = Math.max(...this.#fits);
    const fitting = best === 0 ? [] : formats.filter((_, at) => this.#fits[at] === best);
    return fitting.filter((format, place) => {
      const at = formats.indexOf(format);
      return !fitting.slice(0, place).some((other) => this.#same[at]![formats.indexOf(other)]);
    });
  }

  get isDate(): boolean {
    const { formats: best } = this;
    return best.length > 0 && !best.includes('unix') && Math.max(...this.#fits) === this.#values;
  }
}
