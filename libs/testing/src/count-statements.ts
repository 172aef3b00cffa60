import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

interface Asked {
  query(...args: unknown[]): unknown;
}

/**
 * How many statements `work` sends to databases from this process, without those that begin and end transactions; those
 * of jobs beside it are not counted.
 */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const client: Asked = pg.Client.prototype;
  const original = client.query;
  const counting = new AsyncLocalStorage<true>();
  let statements = 0;
  client.query = function (this: unknown, ...args: unknown[]) {
    const [asked] = args as (string | { text?: string })[];
    const text = typeof asked === 'string' ? asked : asked?.text;
    if (counting.getStore() && !/^(start transaction|commit|rollback)$/i.test(text ?? '')) statements += 1;
    return original.apply(this, args);
  };
  try {
    await counting.run(true, work);
  } finally {
    client.query = original;
  }
  return statements;
}
