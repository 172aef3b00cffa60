import { currentLanguage } from './text.js';

const steps: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Seconds in the largest unit that leaves a whole number or more, such as "2 days". */
export function duration(seconds: number): string {
  const [unit, size] = steps.find(([, length]) => seconds >= length) ?? ['second', 1];
  return new Intl.NumberFormat(currentLanguage(), {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(seconds / size);
}
