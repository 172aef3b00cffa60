import { parseArgs } from 'node:util';

export interface Options {
  organizations: number;
  /** Subscribers of each organization: all are recipients of its campaign. */
  size: number;
  /** How many of them are in its workflow. */
  runs: number;
  /** Subscribers of one more organization, all of them in its workflow too; 0: there is none. */
  large: number;
  /** Processes of delivery and of workflow each. */
  replicas: number;
  /** Added to the environment of the services: NAME=value. */
  environment: Record<string, string>;
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      organizations: { type: 'string', default: '1000' },
      size: { type: 'string', default: '600' },
      runs: { type: 'string', default: '50' },
      large: { type: 'string', default: '0' },
      replicas: { type: 'string', default: '1' },
      environment: { type: 'string', multiple: true, default: [] },
    },
  });
  const whole = (name: 'organizations' | 'size' | 'runs' | 'large' | 'replicas', least = 1) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least) throw new Error(`--${name} takes a whole number from ${least} on.`);
    return value;
  };
  const [size, runs] = [whole('size'), whole('runs')];
  if (runs > Math.min(size, 500)) throw new Error('--runs takes at most --size, and at most 500.');
  return {
    organizations: whole('organizations', 2),
    size,
    runs,
    large: whole('large', 0),
    replicas: whole('replicas'),
    environment: Object.fromEntries(values.environment.map((pair) => pair.split(/=(.*)/s) as [string, string])),
  };
}
