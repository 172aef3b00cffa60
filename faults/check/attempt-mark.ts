import pg from 'pg';
import { positionOf } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import type { TestSystem } from '#testing';

/** Bits of first attempts, and rows of the queue and of older sends that are being attempted. */
const markedSql = `
  select exists (select from delivery.send_attempt where organization_id = $1 and send_id = $2 and chunk_no = $3 and get_bit(attempted, $4) = 1)
    or exists (select from delivery.message_queue where message_id = $5 and organization_id = $1 and state = 'ATTEMPTING')
    or exists (select from delivery.message where message_id = $5 and organization_id = $1 and state = 'HANDING_OVER') as marked`;

/**
 * Rule I1 of the ledger: the attempt mark of a message is committed before the relay is asked for DATA. The relay of the
 * rig asks the database at that moment.
 */
export class AttemptMarks {
  readonly #tokens: LinkTokens;
  readonly #pool: pg.Pool;

  constructor(system: TestSystem, masterKey: string) {
    this.#tokens = new LinkTokens(deriveKey(masterKey, 'links'));
    this.#pool = new pg.Pool({
      connectionString: system.environment.DATABASE_URL!,
      max: 4,
      connectionTimeoutMillis: 1_000,
      query_timeout: 2_000,
    });
    this.#pool.on('error', () => undefined);
  }

  /**
   * @param from the return path of the message
   * @returns false when its mark is not committed; true also when the database cannot be asked
   */
  async isCommitted(from: string): Promise<boolean> {
    const token = /^b\.([^@]+)@/i.exec(from)?.[1];
    const path = token === undefined ? null : this.#tokens.open('return-path', token);
    if (!path) return true;
    const { sendUuid, chunk, position } = positionOf(path.messageId);
    const keys = [path.organizationId, sendUuid, chunk & 0x1fffff, Math.min(position, 511), path.messageId];
    return await this.#pool.query<{ marked: boolean }>(markedSql, keys).then(
      ({ rows }) => rows[0]!.marked,
      () => true,
    );
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}
