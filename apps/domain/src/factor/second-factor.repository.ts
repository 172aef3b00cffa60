import type { FactorKind } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { SecretBox } from '#link-token';

export interface SecondFactor {
  id: string;
  kind: FactorKind;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface Totp extends SecondFactor {
  secret: string;
  lastStep: number;
}

export interface StoredPasskey {
  id: string;
  userId: string;
  credentialId: string;
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
  transports: string[];
}

interface Row {
  factor_id: string;
  kind: FactorKind;
  name: string;
  last_used_at: Date | null;
}
const columns = 'factor_id, kind, name, last_used_at';

const factorOf = (row: Row): SecondFactor => ({
  id: wireId('fct', row.factor_id),
  kind: row.kind,
  name: row.name,
  createdAt: createdAtOf(row.factor_id).toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

/** Second factors of users: secrets of TOTP are sealed for the factor, of passkeys only the public key is stored. */
export class SecondFactorRepository {
  constructor(
    private readonly sql: Sql,
    private readonly box: SecretBox,
  ) {}

  /** Serializes changes of a user's factors until the transaction ends. */
  async lock(userId: string): Promise<void> {
    await this.sql.query(`select from user_account where user_id = $1 for no key update`, [uuidOf('usr', userId)]);
  }

  async list(userId: string): Promise<SecondFactor[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from second_factor where user_id = $1 order by factor_id`,
      [uuidOf('usr', userId)],
    );
    return rows.map(factorOf);
  }

  /** @param step the one of the code that confirmed the secret; it counts no more */
  async insertTotp(userId: string, name: string, secret: string, step: number): Promise<SecondFactor> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into second_factor (factor_id, user_id, kind, name, sealed, last_step, last_used_at)
       values ($1, $2, 'TOTP', $3, $4, $5, clock_timestamp()) returning ${columns}`,
      [id, uuidOf('usr', userId), name, this.box.seal(secret, id), step],
    );
    return factorOf(rows[0]!);
  }

  async findTotp(userId: string): Promise<Totp | null> {
    const rows: (Row & { sealed: Buffer; last_step: string })[] = await this.sql.query(
      `select ${columns}, sealed, last_step from second_factor where user_id = $1 and kind = 'TOTP'`,
      [uuidOf('usr', userId)],
    );
    const row = rows[0];
    if (!row) return null;
    return { ...factorOf(row), secret: this.box.open(row.sealed, row.factor_id), lastStep: Number(row.last_step) };
  }

  /** Uses a time step. @returns false when it or a later one was used */
  async useStep(factorId: string, step: number): Promise<boolean> {
    return await this.#isUpdated(
      `update second_factor set last_step = $2, last_used_at = clock_timestamp()
       where factor_id = $1 and last_step < $2 returning 1`,
      [uuidOf('fct', factorId), step],
    );
  }

  /** @returns null when the credential is registered already */
  async insertPasskey(
    userId: string,
    passkey: Omit<StoredPasskey, 'id' | 'userId'> & { name: string; relyingParty: string },
  ): Promise<SecondFactor | null> {
    const { name, relyingParty, credentialId, publicKey, counter, transports } = passkey;
    const rows: Row[] = await this.sql.query(
      `insert into second_factor
         (factor_id, user_id, kind, name, relying_party, credential_id, public_key, counter, transports)
       values ($1, $2, 'PASSKEY', $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning ${columns}`,
      [newUuid(), uuidOf('usr', userId), name, relyingParty, credentialId, Buffer.from(publicKey), counter, transports],
    );
    return rows[0] ? factorOf(rows[0]) : null;
  }

  async listPasskeys(userId: string, relyingParty: string): Promise<StoredPasskey[]> {
    return await this.#passkeys(`user_id = $1 and relying_party = $2`, [uuidOf('usr', userId), relyingParty]);
  }

  async findPasskey(credentialId: string, relyingParty: string): Promise<StoredPasskey | null> {
    const found = await this.#passkeys(`credential_id = $1 and relying_party = $2`, [credentialId, relyingParty]);
    return found[0] ?? null;
  }

  /**
   * Stores the counter of a passkey's use.
   * @returns false when the passkey is gone, or has a counter that did not grow (WebAuthn Level 2, section 6.1.1)
   */
  async usePasskey(factorId: string, counter: number): Promise<boolean> {
    return await this.#isUpdated(
      `update second_factor set counter = $2, last_used_at = clock_timestamp()
       where factor_id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning 1`,
      [uuidOf('fct', factorId), counter],
    );
  }

  /** @returns null for a factor that the user does not have */
  async rename(userId: string, factorId: string, name: string): Promise<SecondFactor | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update second_factor set name = $3 where user_id = $1 and factor_id = $2 returning ${columns}`,
      [uuidOf('usr', userId), uuidOf('fct', factorId), name],
    );
    return rows[0] ? factorOf(rows[0]) : null;
  }

  /** @returns null for a factor that the user does not have */
  async delete(userId: string, factorId: string): Promise<SecondFactor | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `delete from second_factor where user_id = $1 and factor_id = $2 returning ${columns}`,
      [uuidOf('usr', userId), uuidOf('fct', factorId)],
    );
    return rows[0] ? factorOf(rows[0]) : null;
  }

  /** @returns how many */
  async deleteAll(userId: string): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(`delete from second_factor where user_id = $1 returning 1`, [
      uuidOf('usr', userId),
    ]);
    return rows.length;
  }

  async #isUpdated(text: string, parameters: unknown[]): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(text, parameters);
    return rows.length > 0;
  }

  async #passkeys(condition: string, parameters: unknown[]): Promise<StoredPasskey[]> {
    const rows: {
      factor_id: string;
      user_id: string;
      credential_id: string;
      public_key: Buffer;
      counter: string;
      transports: string[];
    }[] = await this.sql.query(
      `select factor_id, user_id, credential_id, public_key, counter, transports from second_factor
       where kind = 'PASSKEY' and ${condition} order by factor_id`,
      parameters,
    );
    return rows.map((row) => ({
      id: wireId('fct', row.factor_id),
      userId: wireId('usr', row.user_id),
      credentialId: row.credential_id,
      publicKey: new Uint8Array(row.public_key),
      counter: Number(row.counter),
      transports: row.transports,
    }));
  }
}
