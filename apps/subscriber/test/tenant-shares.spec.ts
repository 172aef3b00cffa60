import { describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { Harness } from '../../../test/harness/harness.js';
import type { Tenant } from '../../../test/harness/harness.js';
import { useFixture } from '../../../test/harness/use-fixture.js';
import { organization, person } from './subscriber-fixture.js';

const lockSql = `select pg_advisory_xact_lock(hashtextextended('custom fields ' || $1, 0))`;
const waitingSql = `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;

describe('what an organization leaves to others', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));

  const add = (email: string, fields: object, of: Tenant) => harness.call('add_subscriber', { email, fields }, of);

  /** Runs `work` while another transaction holds the lock on an organization's custom fields. */
  const whileFieldsAreLocked = async ({ organizationId }: Tenant, work: () => Promise<void>): Promise<void> => {
    const runner = harness.dataSource('subscriber').createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(lockSql, [organizationId]);
      await work();
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  };

  it('keeps database connections free of an organization whose calls wait for one another', async () => {
    let waiting: Promise<{ ok: boolean }>[] = [];
    await whileFieldsAreLocked(tenant, async () => {
      waiting = Array.from({ length: 8 }, (_, n) => add(`n${n}@example.com`, { [`field ${n}`]: 'x' }, tenant));
      await until('two calls wait', async () => {
        const [row] = await harness.dataSource('subscriber').query<{ waiting: number }[]>(waitingSql);
        return row!.waiting >= 2;
      });
      expect(await add('other@example.com', { city: 'Rome' }, otherTenant)).toMatchObject({ ok: true });
    });
    expect((await Promise.all(waiting)).every(({ ok }) => ok)).toBe(true);
  });

  it('refuses at once a call that alone exceeds the limit of custom fields, with any other calls waiting', async () => {
    const fields = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`more ${n}`, 'x']));
    const own = await organization(harness);
    const { id } = await person(harness, own, { email: 'ada@example.com' });
    await whileFieldsAreLocked(own, async () => {
      const refused = [
        await add('over@example.com', fields, own),
        await harness.call('update_subscriber', { subscriber: id, fields }, own),
      ];
      const limit = { limit: 300, used: 0 };
      expect(refused).toMatchObject(refused.map(() => ({ ok: false, error: { reason: 'LIMIT_REACHED', limit } })));
    });
  });
});
