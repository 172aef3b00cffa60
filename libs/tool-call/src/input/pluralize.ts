/** A count in a sentence for people: `1 run`, `12,408 runs`. @param noun in the singular, with -s in the plural */
export const pluralize = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
