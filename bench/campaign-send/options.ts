import { parseArgs } from 'node:util';

const dkimModes = ['ours', 'relay', 'both'] as const;

export interface Options {
  /** People a run. */
  size: number;
  runs: number;
  /** To the same people, in each run. */
  campaigns: number;
  /** Compares the memory of delivery at two sizes instead. */
  memory: boolean;
  connections: number;
  /** Who signs: SMTP_DKIM of the services. */
  dkim: (typeof dkimModes)[number];
  /** Added to the environment of the services, for profilers: NAME=value. */
  environment: Record<string, string>;
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string', default: '20000' },
      runs: { type: 'string', default: '3' },
      campaigns: { type: 'string', default: '1' },
      connections: { type: 'string', default: '40' },
      memory: { type: 'boolean', default: false },
      dkim: { type: 'string', default: 'ours' },
      environment: { type: 'string', multiple: true, default: [] },
    },
  });
  const whole = (name: 'size' | 'runs' | 'campaigns' | 'connections') => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1 on.`);
    return value;
  };
  const dkim = dkimModes.find((mode) => mode === values.dkim);
  if (!dkim) throw new Error('--dkim takes ours, relay or both.');
  const pair = (text: string): [string, string] => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)];
  };
  return {
    size: whole('size'),
    runs: whole('runs'),
    campaigns: whole('campaigns'),
    connections: whole('connections'),
    memory: values.memory,
    dkim,
    environment: Object.fromEntries(values.environment.map(pair)),
  };
}
