import { beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import type { Filter } from '#contracts';
import { newId, wireId } from '#database';
import type { Sql } from '#database';
import { OrganizationSettingsCache } from '#service-host';
import { copySubscribers } from '#testing';
import type { Copied } from '#testing';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { FilterEngine } from '../../src/filter/filter-engine.service.js';
import { FilterTargetClient } from '../../src/filter/filter-target.client.js';
import { FilterTargetRepository } from '../../src/filter/filter-target.repository.js';
import { SubscriberViewRepository } from '../../src/subscriber/subscriber-view.repository.js';
import type { Selection } from '../../src/subscriber/subscriber-view.repository.js';
import { Recorder } from '../explain.js';
import { organization } from '../subscriber-fixture.js';

const count = 40_000;
const everybody: Selection = { status: null, tagId: null, query: null, where: null };
const tagged = (...tagNames: string[]): Filter => ({ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames });

describe('filters and lists of an organization with many people', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let copied: Copied;
  let recorder: Recorder;
  const sql = () => harness.dataSource('subscriber').manager;
  const engine = (on: Sql) =>
    new FilterEngine({
      targets: new FilterTargetRepository(on),
      owners: new FilterTargetClient(harness.bus),
      settings: new OrganizationSettingsCache(harness.bus),
    });
  const where = (filters: Filter[]) => engine(sql()).condition(harness.caller(tenant), filters, { from: 'caller' });
  const total = async (filters: Filter[]) =>
    (await harness.data<{ total: number }>('count_subscribers', { filters }, tenant)).total;
  beforeAll(async () => {
    tenant = await organization(harness);
    copied = await copySubscribers({ databaseUrl: harness.ownerUrl, organizationId: tenant.organizationId, count });
    recorder = new Recorder(sql());
  });

  describe('story 20: each page query reads one page, not all subscribers', () => {
    const page = (selection: Selection, after: string | null = null) =>
      recorder.explain((on) =>
        new SubscriberViewRepository(on).list(tenant.organizationId, selection, { after, limit: 50 }),
      );
    const middle = () => wireId('sub', copied.uuidAt(count / 2));
    const tagId = () => wireId('tag', copied.tagUuid);

    it.each([
      ['everybody', () => everybody],
      ['a status', () => ({ ...everybody, status: 'SUBSCRIBED' as const })],
      ['a tag that half of them hold', () => ({ ...everybody, tagId: tagId() })],
      ['a tag and a status', () => ({ ...everybody, tagId: tagId(), status: 'SUBSCRIBED' as const })],
    ])('a list of %s', async (_of, selection) => {
      for (const after of [null, middle()]) {
        const { scanned, rowsMost } = await page(selection(), after);
        expect(scanned).not.toContain('subscriber');
        expect(scanned).not.toContain('subscriber_tag');
        expect(rowsMost).toBeLessThan(2_000);
      }
    });

    it('a text that few match, and the counts without a filter', async () => {
      const few = await page({ ...everybody, query: 'person12345@' });
      expect(few.scanned).not.toContain('subscriber');
      expect(few.rowsMost).toBeLessThan(2_000);
      for (const selection of [everybody, { ...everybody, tagId: tagId() }]) {
        const { rowsMost } = await recorder.explain((on) =>
          new SubscriberViewRepository(on).countRoughly(tenant.organizationId, selection),
        );
        expect(rowsMost).toBeLessThan(100);
      }
    });

    it('each page of an audience, the last as cheaply as the first', async () => {
      const audienceId = newId('aud');
      const requests = harness.client(subscriberRequests);
      const { filters } = await requests.check_filters({ filters: [tagged('half')] }, harness.caller(tenant));
      const frozen = { audienceId, purpose: 'SEND' as const, filters };
      const { pages } = await requests.freeze_audience(frozen, harness.caller(tenant));
      expect(pages).toBe(count / 2 / 500);
      await sql().query('vacuum analyze audience_page');
      const shows = [await where([tagged('half')])];
      const read = (pageNumber: number) =>
        recorder.explain((on) =>
          new AudienceRepository(on).listPage(
            tenant.organizationId,
            { audienceId, pageNumber },
            { shows, fields: null },
          ),
        );
      const [first, last] = [await read(0), await read(pages - 1)];
      for (const { scanned, rowsMost } of [first, last]) {
        expect(scanned).not.toContain('subscriber');
        expect(scanned).not.toContain('subscriber_tag');
        expect(rowsMost).toBeLessThanOrEqual(1_000);
      }
      expect(last.blocks).toBeLessThan(first.blocks * 1.3);
    });
  });

  describe('story 21: segments in segments', () => {
    const field = (value: string): Filter => ({ type: 'FIELD', fieldName: 'number', operator: 'EQUALS', value });
    const inside = (operator: string, segmentName: string): Filter => ({ type: 'SEGMENT', operator, segmentName });
    const create = (name: string, filters: Filter[]) => harness.data('create_segment', { name, filters }, tenant);
    const workOf = async (filters: Filter[]) => {
      const condition = await where(filters);
      return await recorder.explain((on) =>
        new SubscriberViewRepository(on).count(tenant.organizationId, { ...everybody, where: condition }),
      );
    };

    it('cost as much as their filters written out, at any depth', async () => {
      await create('Deep 0', [tagged('half'), field('4')]);
      for (let n = 1; n <= 12; n++) await create(`Deep ${n}`, [inside('INCLUDE', `Deep ${n - 1}`)]);
      expect(await total([inside('INCLUDE', 'Deep 12')])).toBe(count / 100);
      const [flat, deep] = [
        await workOf([tagged('half'), field('4')]),
        await workOf([inside('INCLUDE', 'Deep 12'), inside('INCLUDE', 'Deep 5'), inside('INCLUDE', 'Deep 0')]),
      ];
      expect(deep.blocks).toBeLessThanOrEqual(flat.blocks * 1.05);
      expect(deep.rowsMost).toBeLessThanOrEqual(flat.rowsMost);
    });

    it('appear once each in the statement, where each of twenty names the one before it twice', async () => {
      const depth = 20;
      await create('Twice 0', [field('0')]);
      for (let n = 1; n <= depth; n++) {
        const either = (...filters: Filter[]): Filter => ({ type: 'GROUP', match: 'ANY', filters });
        await create(`Twice ${n}`, [
          either(inside('INCLUDE', `Twice ${n - 1}`), field(`${n}`)),
          either(inside('EXCLUDE', `Twice ${n - 1}`), field(`${n - 1}`), field(`${n}`)),
        ]);
      }
      const params: unknown[] = ['organization'];
      const { text } = (await where([inside('INCLUDE', `Twice ${depth}`)]))(params);
      // Each of the conditions on a field binds its field and its value.
      expect(params).toHaveLength(1 + 2 * (1 + 3 * depth));
      expect(text.length).toBeLessThan(600 * depth);
      expect(await total([inside('INCLUDE', `Twice ${depth}`)])).toBe(twice(depth));
    });

    /** How many hundredths of the people the last segment holds, by its own words. */
    function twice(depth: number): number {
      const holds = (n: number, value: number): boolean => {
        if (n === 0) return value === 0;
        const before = holds(n - 1, value);
        return (before || value === n) && (!before || value === n - 1 || value === n);
      };
      return Array.from({ length: 100 }, (_, value) => holds(depth, value)).filter(Boolean).length * (count / 100);
    }

    it('are saved by writing one row, with any number of members', async () => {
      const { segmentId } = await harness.data<{ segmentId: string }>(
        'create_segment',
        { name: 'Many', filters: [tagged('half')] },
        tenant,
      );
      const written = async () => {
        const rows: { table: string; n: number }[] = await sql().query(
          `select relname as table, (pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid))::int as n
           from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
        );
        return rows.reduce((sum, { n }) => sum + n, 0);
      };
      await settled(written);
      const before = await written();
      await harness.data('update_segment', { segmentId, filters: [field('7')] }, tenant);
      await settled(written);
      expect((await written()) - before).toBeLessThanOrEqual(3);
    });

    /** Statistics of a connection show when it is idle for a moment. */
    async function settled(read: () => Promise<number>): Promise<void> {
      await sql().query('select pg_stat_force_next_flush()');
      for (let last = -1, now = await read(); now !== last;) {
        last = now;
        await sql().query('select pg_stat_clear_snapshot()');
        now = await read();
      }
    }
  });

  describe('story 19: sending', () => {
    it('goes on while more large segments are counted than there are connections', async () => {
      const requests = harness.client(subscriberRequests);
      const audienceId = newId('aud');
      await requests.freeze_audience({ audienceId, purpose: 'SEND', filters: [] }, harness.caller(tenant));
      const blocker = harness.dataSource('subscriber').createQueryRunner();
      const counts: Promise<number>[] = [];
      try {
        await blocker.startTransaction();
        // Queries that read tags wait from here on, as a count that does not end.
        await blocker.query('lock table subscriber_tag in access exclusive mode');
        for (let n = 0; n < 12; n++) counts.push(total([tagged('half')]));
        for (let pageNumber = 0; pageNumber < 20; pageNumber++) {
          const { recipients } = await requests.get_audience_page(
            { audienceId, pageNumber, showIf: [] },
            harness.caller(tenant),
          );
          expect(recipients).toHaveLength(500);
        }
        const subscriberId = wireId('sub', copied.uuidAt(1));
        const by = { source: 'one-click' as const, campaignId: null, messageId: null };
        expect(await requests.unsubscribe_by_link({ subscriberId, ...by }, harness.caller(tenant))).toMatchObject({
          changed: true,
        });
      } finally {
        await blocker.rollbackTransaction();
        await blocker.release();
      }
      expect(await Promise.all(counts)).toEqual(counts.map(() => count / 2));
    });
  });
});
