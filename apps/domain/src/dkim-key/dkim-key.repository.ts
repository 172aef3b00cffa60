import { newUuid, uuidOf } from '#database';
import type { Sql } from '#database';
import type { DkimKeyPair, KeyWrap } from './dkim-key.js';

export interface SigningKey {
  domain: string;
  selector: string;
  privateKeyPem: string;
}

/** Keys of sending domains; private halves are sealed in the rows and open only in memory. */
export class DkimKeyRepository {
  constructor(
    private readonly sql: Sql,
    private readonly wrap: KeyWrap,
  ) {}

  async insert(organizationId: string, domainId: string, pair: DkimKeyPair): Promise<void> {
    const keyId = newUuid();
    const { sealed, wrappingKeyId } = this.wrap.seal(pair.privateKeyPem, keyId);
    await this.sql.query(
      `insert into dkim_key (organization_id, dkim_key_id, domain_id, selector, public_key, private_key_sealed, wrapping_key_id)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        uuidOf('org', organizationId),
        keyId,
        uuidOf('dom', domainId),
        pair.selector,
        pair.publicKey,
        sealed,
        wrappingKeyId,
      ],
    );
  }

  async deleteOfDomain(organizationId: string, domainId: string): Promise<void> {
    await this.sql.query(`delete from dkim_key where organization_id = $1 and domain_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('dom', domainId),
    ]);
  }

  /**
   * The newest key of a domain; null when the organization has no such domain.
   * @throws Error when the master key is not the one it was sealed under
   */
  async findByDomain(organizationId: string, domain: string): Promise<SigningKey | null> {
    const rows: { dkim_key_id: string; domain: string; selector: string; sealed: Buffer; wrapping_key_id: string }[] =
      await this.sql.query(
        `select k.dkim_key_id, d.domain, k.selector, k.private_key_sealed as sealed, k.wrapping_key_id
         from sending_domain d join dkim_key k using (organization_id, domain_id)
         where d.organization_id = $1 and d.domain = lower($2) order by k.dkim_key_id desc limit 1`,
        [uuidOf('org', organizationId), domain],
      );
    const row = rows[0];
    if (!row) return null;
    const privateKeyPem = this.wrap.open({ sealed: row.sealed, wrappingKeyId: row.wrapping_key_id }, row.dkim_key_id);
    return { domain: row.domain, selector: row.selector, privateKeyPem };
  }

  async countSealedOtherwise(): Promise<number> {
    const rows: { count: number }[] = await this.sql.query(
      `select count(*)::int as count from dkim_key where wrapping_key_id <> $1`,
      [this.wrap.keyId],
    );
    return rows[0]!.count;
  }
}
