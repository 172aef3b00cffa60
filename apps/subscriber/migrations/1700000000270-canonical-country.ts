import type { MigrationInterface, QueryRunner } from 'typeorm';
import { countryCodes, findCountryCode } from '#country';
import { createLogger } from '#observability';

/** Rows of one transaction: their locks are held for some 100 ms. */
const chunkRows = 10_000;
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Stores every country as ISO 3166-1 alpha-2 (or XK): UK, EL, alpha-3 codes and names become codes; other texts become
 * null. It walks the primary key in short transactions, so that processes of the previous version can write meanwhile.
 * Rows are locked in the order of the service. It can be rerun after an interruption.
 */
export class CanonicalCountry1700000000270 implements MigrationInterface {
  name = 'CanonicalCountry1700000000270';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A process of the version before may still store these two, which its contract took for codes.
    await runner.query(
      `create or replace function canonical_country() returns trigger language plpgsql as $$
       begin new.country := case new.country when 'UK' then 'GB' else 'GR' end; return new; end $$`,
    );
    await runner.query(
      `create or replace trigger country_canonical before insert or update of country on subscriber
       for each row when (new.country in ('UK', 'EL')) execute function canonical_country()`,
    );
    const stored: { country: string }[] = await runner.query(
      `select distinct country from subscriber where country is not null`,
    );
    const wrong = stored.map(({ country }) => country).filter((country) => !countryCodes().has(country));
    if (wrong.length === 0) return;
    const counts = await this.#rewrite(runner, wrong, wrong.map(findCountryCode));
    createLogger('subscriber', 'info').info(counts, 'countries were rewritten as ISO 3166-1 alpha-2 codes');
  }

  /** @param codes for each of `wrong`; null for a text that names no country */
  async #rewrite(runner: QueryRunner, wrong: string[], codes: (string | null)[]) {
    const counts = { rewritten: 0, unknownSetToNull: 0 };
    let after: [organization: string, subscriber: string] | null = [firstId, firstId];
    while (after) {
      const [end]: { organization_id: string; subscriber_id: string }[] = await runner.query(
        `select organization_id, subscriber_id from subscriber where (organization_id, subscriber_id) > ($1, $2)
         order by organization_id, subscriber_id offset $3 limit 1`,
        [...after, chunkRows - 1],
      );
      const last: string[] = end ? [end.organization_id, end.subscriber_id] : [];
      const [rows]: [{ country: string | null }[]] = await runner.query(
        `with due as (
           select organization_id, subscriber_id, code from subscriber join unnest($3::text[], $4::text[]) w(country, code)
             using (country)
           where (organization_id, subscriber_id) > ($1, $2)
             ${end ? 'and (organization_id, subscriber_id) <= ($5, $6)' : ''}
           order by organization_id, subscriber_id for update of subscriber)
         update subscriber s set country = d.code from due d
         where s.organization_id = d.organization_id and s.subscriber_id = d.subscriber_id returning s.country`,
        [...after, wrong, codes, ...last],
      );
      const cleared = rows.filter(({ country }) => country === null).length;
      counts.unknownSetToNull += cleared;
      counts.rewritten += rows.length - cleared;
      after = end ? [end.organization_id, end.subscriber_id] : null;
    }
    return counts;
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
