import { TimeoutClient } from './timeout-client.js';

const names = new Map<string, string>();

/**
 * Marks the text of a statement that runs all the time, so that each connection parses it once. For inserts, and for
 * statements that reach a slowly growing table by its key. A plan is kept until its tables are analyzed again, which is
 * too late for a table that was small when planned and is large a moment later.
 * @param name name in traces, unique per statement
 * @returns the text
 */
export function prepared(name: string, text: string): string {
  if ([...names.values()].includes(name)) throw new Error(`Two statements are named "${name}".`);
  names.set(text, name);
  return text;
}

export class PreparingClient extends TimeoutClient {
  override query(...[asked, values, ...rest]: unknown[]): never {
    const name = typeof asked === 'string' && Array.isArray(values) ? names.get(asked) : undefined;
    const question = name === undefined ? [asked, values, ...rest] : [{ name, text: asked, values }, ...rest];
    return (super.query as (...question: unknown[]) => unknown).apply(this, question) as never;
  }
}
