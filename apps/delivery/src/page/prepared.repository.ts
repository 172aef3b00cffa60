import type { DataSource } from 'typeorm';

/** What the driver keeps as its pool; TypeORM types it as any. */
interface Pool {
  query<R>(statement: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: R[] }>;
}

/** Statements that run for every few messages: each connection parses and plans them once. */
export class PreparedSql {
  readonly #pool: Pool;

  constructor(dataSource: DataSource) {
    this.#pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  /** Runs a statement outside any transaction. @param name stands for its text on every connection */
  async query<R>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    return (await this.#pool.query<R>({ name, text, values })).rows;
  }
}
