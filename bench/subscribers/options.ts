import { parseArgs } from 'node:util';

export const parts = ['reads', 'count', 'audience', 'import', 'export', 'preview', 'explain'] as const;
export type Part = (typeof parts)[number];

export interface Options {
  /** People of each organization, one after the other. */
  sizes: number[];
  /** Lines of history of each person; only the count of a segment has use for them. */
  events: number;
  only: readonly Part[];
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string', multiple: true, default: ['10000', '100000', '1000000'] },
      events: { type: 'string', default: '10' },
      only: { type: 'string', multiple: true, default: [...parts] },
    },
  });
  const whole = (name: string, text: string, least: number) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least) throw new Error(`--${name} takes a whole number from ${least} on.`);
    return value;
  };
  const only = values.only.map((word) => {
    const part = parts.find((one) => one === word);
    if (!part) throw new Error(`--only takes one of ${parts.join(', ')}.`);
    return part;
  });
  return {
    sizes: values.size.map((text) => whole('size', text, 1000)).sort((a, b) => a - b),
    events: whole('events', values.events, 0),
    only,
  };
}
