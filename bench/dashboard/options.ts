import { parseArgs } from 'node:util';

const parts = ['workflow', 'import'] as const;
export type Part = (typeof parts)[number];

export interface Options {
  /** Subscribers of the organization. */
  size: number;
  /** Of use, for the memory. */
  minutes: number;
  /** Measures this part alone. */
  only: Part | null;
  /** Of the file that is imported. */
  rows: number;
  /** Watches a campaign instead. */
  live: boolean;
  /** Recipients of that campaign. */
  recipients: number;
  /** Messages a second of that campaign. */
  rate: number;
}

/** One core sends about as many messages a second (docs/internals/performance.md). */
const ratePerCore = 1_000;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string' },
      rows: { type: 'string', default: '1000000' },
      minutes: { type: 'string', default: '2' },
      only: { type: 'string' },
      live: { type: 'boolean', default: false },
      recipients: { type: 'string', default: '100000' },
      rate: { type: 'string', default: String(ratePerCore) },
    },
  });
  // Parts that list no subscribers need few of them.
  const size = values.only === undefined ? '1000000' : '1000';
  const whole = (name: 'size' | 'minutes' | 'rows' | 'recipients' | 'rate') => {
    const value = Number(name === 'size' ? (values.size ?? size) : values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1 on.`);
    return value;
  };
  const only = parts.find((part) => part === values.only) ?? null;
  if (values.only !== undefined && only === null) throw new Error(`--only takes ${parts.join(' or ')}.`);
  return {
    only,
    size: whole('size'),
    minutes: whole('minutes'),
    rows: whole('rows'),
    live: values.live,
    recipients: whole('recipients'),
    rate: whole('rate'),
  };
}
