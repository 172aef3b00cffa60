import { EntityManager } from 'typeorm';

/** How many statements services of this process send to their databases while `work` goes on. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const original = EntityManager.prototype.query;
  let statements = 0;
  EntityManager.prototype.query = function (this: EntityManager, ...args: Parameters<typeof original>) {
    statements += 1;
    return original.apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    EntityManager.prototype.query = original;
  }
  return statements;
}
