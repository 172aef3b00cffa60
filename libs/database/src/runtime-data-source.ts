import type { Pool, PoolClient, QueryResult } from 'pg';
import { DataSource, QueryFailedError } from 'typeorm';
import type { EntityManager, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';

type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * TypeORM's data source, whose statements and transactions go straight to `pg`: results and errors are the same, and a
 * statement costs the process about a third less. The first statement of a transaction does not wait for its begin.
 */
export class RuntimeDataSource extends DataSource {
  override async query<T>(text: string, values?: unknown[], runner?: QueryRunner): Promise<T> {
    if (runner) return await super.query<T>(text, values, runner);
    const { client, release } = await this.#connect();
    try {
      return resultOf<T>(await send(client, text, values));
    } finally {
      release();
    }
  }

  override transaction<T>(work: Work<T>): Promise<T>;
  override transaction<T>(level: IsolationLevel, work: Work<T>): Promise<T>;
  override async transaction<T>(...[first, second]: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    return typeof first === 'function' ? await this.#transaction(first) : await super.transaction(first, second);
  }

  async #transaction<T>(work: Work<T>): Promise<T> {
    const { client, release } = await this.#connect();
    let isOpen = true;
    const manager = this.createEntityManager();
    manager.query = async <R>(text: string, values?: unknown[]): Promise<R> => {
      // A statement after the end would join the transaction of the connection's next user.
      if (!isOpen) throw new Error('A statement came after the end of its transaction.');
      return resultOf<R>(await send(client, text, values));
    };
    const begin = send(client, 'START TRANSACTION');
    begin.catch(() => undefined);
    try {
      const result = await work(manager);
      isOpen = false;
      await begin;
      const { command } = await send(client, 'COMMIT');
      // PostgreSQL undoes a transaction in which a statement failed, and reports no error then.
      if (command !== 'COMMIT') throw new Error('The transaction was undone, since one of its statements had failed.');
      return result;
    } catch (error) {
      isOpen = false;
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      release();
    }
  }

  /** @returns a connection; one that breaks meanwhile does not return to the pool */
  async #connect(): Promise<{ client: PoolClient; release: () => void }> {
    const client = await ((this.driver as PostgresDriver).master as Pool).connect();
    let broken: Error | undefined;
    const onError = (error: Error) => (broken = error);
    client.on('error', onError);
    const release = () => {
      client.off('error', onError);
      client.release(broken);
    };
    return { client, release };
  }
}

async function send(client: PoolClient, text: string, values?: unknown[]): Promise<QueryResult> {
  try {
    return await client.query(text, values);
  } catch (error) {
    throw new QueryFailedError(text, values, error as Error);
  }
}

/** As TypeORM returns it: the rows, and of an update or a delete also their number. */
const resultOf = <T>({ command, rows, rowCount }: QueryResult): T =>
  (command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows) as T;
