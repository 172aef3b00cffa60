import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** The binary. */
  listmonk: string;
  /** People a run. */
  size: number;
  /** People a run with default settings, which send about a hundred a second on the other side. */
  defaultSize: number;
  runs: number;
  connections: number;
  /** Rows of the CSV that both import; 0 leaves that out. */
  importRows: number;
  /** Seconds without a message after which a killed campaign counts as over. */
  settle: number;
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      listmonk: { type: 'string' },
      size: { type: 'string', default: '100000' },
      'default-size': { type: 'string', default: '3000' },
      runs: { type: 'string', default: '5' },
      connections: { type: 'string', default: '40' },
      'import-rows': { type: 'string', default: '1000000' },
      settle: { type: 'string', default: '90' },
    },
  });
  const whole = (name: Exclude<keyof typeof values, 'listmonk'>, least: number) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least) throw new Error(`--${name} takes a whole number from ${least} on.`);
    return value;
  };
  if (!values.listmonk)
    throw new Error(
      '--listmonk takes the path of a listmonk binary; docs/internals/performance.md says how to build one.',
    );
  const listmonk = resolve(values.listmonk);
  if (!existsSync(listmonk)) throw new Error(`--listmonk: there is no file ${listmonk}.`);
  return {
    listmonk,
    size: whole('size', 100),
    defaultSize: whole('default-size', 100),
    runs: whole('runs', 1),
    connections: whole('connections', 1),
    importRows: whole('import-rows', 0),
    settle: whole('settle', 5),
  };
}
