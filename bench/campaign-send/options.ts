import { parseArgs } from 'node:util';

export interface Options {
  /** People a run. */
  size: number;
  runs: number;
  /** Compares the memory of delivery at two sizes instead. */
  memory: boolean;
  connections: number;
  /** Added to the environment of the services, for profilers: NAME=value. */
  environment: Record<string, string>;
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string', default: '20000' },
      runs: { type: 'string', default: '3' },
      connections: { type: 'string', default: '40' },
      memory: { type: 'boolean', default: false },
      environment: { type: 'string', multiple: true, default: [] },
    },
  });
  const whole = (name: 'size' | 'runs' | 'connections') => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1 on.`);
    return value;
  };
  const pair = (text: string): [string, string] => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)];
  };
  return {
    size: whole('size'),
    runs: whole('runs'),
    connections: whole('connections'),
    memory: values.memory,
    environment: Object.fromEntries(values.environment.map(pair)),
  };
}
