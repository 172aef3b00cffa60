import { AsyncLocalStorage } from 'node:async_hooks';
import { EntityManager } from 'typeorm';

/** How many statements `work` sends to databases from this process; those of jobs beside it are not counted. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const original = EntityManager.prototype.query;
  const counting = new AsyncLocalStorage<true>();
  let statements = 0;
  EntityManager.prototype.query = function (this: EntityManager, ...args: Parameters<typeof original>) {
    if (counting.getStore()) statements += 1;
    return original.apply(this, args);
  } as typeof original;
  try {
    await counting.run(true, work);
  } finally {
    EntityManager.prototype.query = original;
  }
  return statements;
}
