import type { DataSource, EntityManager } from 'typeorm';

/** Does some work in a transaction that is rolled back. @returns what the work returns */
export async function rolledBack<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    return await work(runner.manager);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}
