import { currentLanguage } from './text.js';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size in the unit that leaves a short number, such as "412.5 MB". */
export function bytes(size: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3));
  return new Intl.NumberFormat(currentLanguage(), {
    style: 'unit',
    unit: units[step]!,
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(size / 1000 ** step);
}
