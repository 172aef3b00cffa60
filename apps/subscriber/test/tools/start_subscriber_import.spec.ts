import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { randomUUID } from 'node:crypto';
import { domainRequests } from '#contracts';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { ImportQueueRepository } from '../../src/import-job/import-queue.repository.js';
import { checked, errorsOf, imported, importOf, importWorker, uploaded, workOff } from '../imports.js';
import { historyOf, mark, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('start_subscriber_import', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  const subscriber = async (email: string, by = tenant) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, by)).subscriber;
  const rows = (count: number, tag: string) =>
    ['email,name', ...Array.from({ length: count }, (_, n) => `${tag}${n}@example.com,Person ${n}`)].join('\n');
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  it('creates and updates subscribers with their fields, tags, history and counts', async () => {
    await person(harness, tenant, {
      email: 'old@example.com',
      name: 'Old',
      fields: { City: 'Oslo' },
      resubscribe: true,
    });
    const file = [
      'E-mail;First name;Last name;Phone;Country;City;Tags',
      'new@example.com;Ada;Lovelace;+44 1;Deutschland;"Lon""don; UK";vip,"early bird"',
      'OLD@example.com;;;;fra;;vip',
      '',
      'same@example.com;Same;;;;;',
    ].join('\r\n');
    const importId = await uploaded(harness, tenant, `\ufeff${file}`, { name: 'List' });
    const done = await imported(harness, tenant, importId);
    expect(done).toMatchObject({ state: 'DONE', rows: 3, done: 3, imported: 2, updated: 1, unchanged: 0, failed: 0 });
    const added = await subscriber('new@example.com');
    expect(added).toMatchObject({
      name: 'Ada Lovelace',
      phone: '+44 1',
      status: 'SUBSCRIBED',
      customFields: { City: 'Lon"don; UK' },
    });
    expect(added.tags.map(({ name }) => name).sort()).toEqual(['early bird', 'vip']);
    expect(await subscriber('old@example.com')).toMatchObject({ name: 'Old', customFields: { City: 'Oslo' } });
    expect(await historyOf(harness, tenant, 'new@example.com')).toEqual(
      expect.arrayContaining(['SUBSCRIBED', 'FIELD_UPDATED', 'TAG_ADDED', 'TAG_ADDED']),
    );
    expect(await harness.data('count_subscribers_by_status', {}, tenant)).toMatchObject({
      counts: expect.objectContaining({ SUBSCRIBED: 3 }),
    });
  });

  it('goes on at once, and counts each row once, when PostgreSQL ends a batch that deadlocked with another', async () => {
    const owner = new pg.Client({ connectionString: harness.ownerUrl });
    await owner.connect();
    try {
      // A sequence keeps its value when a transaction is rolled back: only the first try of the row fails.
      await owner.query(`set search_path to subscriber;
        create sequence tries; grant usage on sequence tries to public;
        create function deadlock_once() returns trigger language plpgsql as $$ begin
          if nextval('subscriber.tries') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
          return new; end $$;
        create trigger deadlock_once before insert on subscriber for each row
          when (new.email = 'z1500@example.com') execute function deadlock_once()`);
      const own = await organization(harness);
      const importId = await uploaded(harness, own, rows(2_500, 'z'));
      expect(await imported(harness, own, importId)).toMatchObject({
        state: 'DONE',
        done: 2_500,
        imported: 2_500,
        updated: 0,
        failed: 0,
      });
      const { rows: tries } = await owner.query<{ last_value: string }>('select last_value from subscriber.tries');
      expect(Number(tries[0]!.last_value)).toBeGreaterThan(1);
    } finally {
      await owner.query(`drop trigger deadlock_once on subscriber.subscriber;
        drop function subscriber.deadlock_once(); drop sequence subscriber.tries`);
      await owner.end();
    }
  });

  it('repeats nothing when its process dies between two batches, whose lease another process takes over', async () => {
    const own = await organization(harness);
    const importId = await uploaded(harness, own, `${rows(2_500, 'k')}\nnot an address,x`);
    await harness.data('start_subscriber_import', { importId }, own);
    await importWorker(harness).workNext(1);
    expect(await importOf(harness, own, importId)).toMatchObject({ state: 'RUNNING', done: 1_000, imported: 1_000 });
    const dead = randomUUID();
    const queue = new ImportQueueRepository(harness.dataSource('subscriber').manager);
    const claimed = (await queue.claim(dead))!;
    expect(await importWorker(harness).workNext()).toBe(false);
    await harness
      .dataSource('subscriber')
      .query(`update subscriber_import set until = clock_timestamp() - interval '1 s' where owner = $1`, [dead]);
    await workOff(harness);
    expect(await importOf(harness, own, importId)).toMatchObject({
      state: 'DONE',
      rows: 2_501,
      done: 2_501,
      imported: 2_500,
      updated: 0,
      failed: 1,
    });
    const late = {
      from: claimed.place,
      place: claimed.place,
      counts: { done: 9, imported: 9, updated: 0, unchanged: 0, failed: 0 },
      errors: '',
    };
    expect(await queue.updateAdvanced(claimed, dead, late)).toBe(false);
    expect(await historyOf(harness, own, 'k1500@example.com')).toEqual(['SUBSCRIBED']);
  });

  it('follows import_subscribers: suppressions stay, resubscribing is asked for, and only triggerWorkflows starts workflows', async () => {
    const own = await organization(harness, { doubleOptIn: true });
    const add = (email: string) => person(harness, own, { email, skipDoubleOptIn: true });
    await add('left@example.com');
    await harness.data('unsubscribe', { email: 'left@example.com' }, own);
    await mark(harness, await add('bounced@example.com'), 'hard_bounced');
    await harness.deliverEvents();
    const file = 'email,tags\nleft@example.com,a\nbounced@example.com,a\nnew@example.com,a';
    const quiet = await uploaded(harness, own, file);
    await imported(harness, own, quiet);
    expect((await harness.deliverEvents()).filter(({ name }) => name === 'tag.added')).toMatchObject([
      { data: { triggerWorkflows: false, cause: { kind: 'import', id: quiet } } },
      { data: { triggerWorkflows: false } },
    ]);
    const statusOf = async (email: string) => (await subscriber(email, own)).status;
    expect(await statusOf('left@example.com')).toBe('UNSUBSCRIBED');
    expect(await statusOf('bounced@example.com')).toBe('BOUNCED');
    expect(await statusOf('new@example.com')).toBe('SUBSCRIBED');
    const loud = await uploaded(
      harness,
      own,
      'email,tags\nleft@example.com,b\nbounced@example.com,b\nnext@example.com,b',
    );
    const options = { resubscribe: true, triggerWorkflows: true, tags: ['all'] };
    expect(await imported(harness, own, loud, { options })).toMatchObject({ imported: 1, updated: 2 });
    const tagged = (await harness.deliverEvents()).filter(({ name }) => name === 'tag.added');
    expect(tagged).toHaveLength(6);
    expect(tagged[0]).toMatchObject({ data: { triggerWorkflows: true } });
    expect(await statusOf('left@example.com')).toBe('SUBSCRIBED');
    expect(await statusOf('bounced@example.com')).toBe('BOUNCED');
  });

  it('refuses alone, with line and reason, each row that cannot be imported', async () => {
    const own = await organization(harness);
    const file = [
      'email,country,ip,visits,born,status,note',
      'a@example.com,uk,192.0.2.1,12.5,2000-02-29,Subscribed,"two',
      'lines"',
      'b@example.com,,,"12,5",,,',
      'c@example.com,,,,29.02.2001,,',
      'd@example.com,Narnia,,,,,',
      'e@example.com,,999.1.1.1,,,,',
      'f@example.com,,,,,cleaned,',
      'g@example.com,,,,,,"never closed',
      'h@example.com,,,,,,x,surplus',
      `i@example.com,,,,,,${'x'.repeat(10_001)}`,
      'not an address,,,,,,',
      ',,,,,,note',
      'z@example.com',
    ].join('\r\n');
    const mapping = [
      { column: 'email', to: 'email' },
      { column: 'country', to: 'country' },
      { column: 'ip', to: 'ipAddress' },
      { column: 'visits', to: 'field', type: 'NUMBER' },
      { column: 'born', to: 'field', type: 'DATE', format: 'iso' },
      { column: 'status', to: 'status' },
      { column: 'note', to: 'field' },
    ];
    const importId = await uploaded(harness, own, file);
    expect(await imported(harness, own, importId, { mapping })).toMatchObject({ imported: 2, failed: 10 });
    const refused = (await errorsOf(harness, own, importId))
      .slice(1)
      .map((line) => line.split(',').slice(0, 2).join(' '));
    expect(refused).toEqual([
      '4 NUMBER_INVALID',
      '5 DATE_INVALID',
      '6 COUNTRY_UNKNOWN',
      '7 ROW_INVALID',
      '8 STATUS_REFUSED',
      '9 ROW_INVALID',
      '10 ROW_INVALID',
      '11 ROW_INVALID',
      '12 EMAIL_INVALID',
      '13 EMAIL_MISSING',
    ]);
    expect((await subscriber('a@example.com', own)).customFields).toEqual({
      visits: '12.5',
      born: '2000-02-29',
      note: 'two\nlines',
    });
  });

  it('creates only, updates only, and clears values of empty cells, as its options say', async () => {
    const own = await organization(harness);
    await person(harness, own, {
      email: 'old@example.com',
      name: 'Old',
      phone: '1',
      country: 'FR',
      fields: { City: 'Oslo' },
    });
    const file =
      'email,name,phone,country,city\nold@example.com,New,,,\nnew@example.com,New,,,\nnew@example.com,Newer,,,';
    const run = async (options: object) =>
      await imported(harness, own, await uploaded(harness, own, file), { options });
    expect(await run({ mode: 'UPDATE_ONLY' })).toMatchObject({ imported: 0, updated: 1, unchanged: 2 });
    expect(await subscriber('old@example.com', own)).toMatchObject({
      name: 'New',
      phone: '1',
      customFields: { City: 'Oslo' },
    });
    expect(await run({ mode: 'CREATE_ONLY' })).toMatchObject({ imported: 1, updated: 0, unchanged: 2 });
    expect(await subscriber('new@example.com', own)).toMatchObject({ name: 'New' });
    expect(await run({ emptyCells: 'CLEAR' })).toMatchObject({ imported: 0, updated: 3 });
    expect(await subscriber('old@example.com', own)).toMatchObject({ phone: null, customFields: {} });
    const [row]: { country: string | null }[] = await harness
      .dataSource('subscriber')
      .query(`select country from subscriber where email_key = 'old@example.com' and name = 'New' and phone is null`);
    expect(row).toEqual({ country: null });
  });

  it('reads 30 columns of dates, each in a format of its own that the check infers', async () => {
    const own = await organization(harness, { timezone: 'Europe/Berlin' });
    const written: [value: string, stored: string, second: string][] = [
      ['2024-12-31', '2024-12-31', '2024-01-02'],
      ['2024/12/31', '2024-12-31', '2024/1/2'],
      ['2024.12.31.', '2024-12-31', '2024.01.02.'],
      ['2024 - 12 - 31', '2024-12-31', '2024 - 1 - 2'],
      ['20241231', '2024-12-31', '20240102'],
      ['31/12/2024', '2024-12-31', '02/01/2024'],
      ['31.12.2024', '2024-12-31', '2.1.2024'],
      ['31-12-2024', '2024-12-31', '02-01-2024'],
      ['31.12.24', '2024-12-31', '2.1.24'],
      ['31/12/68', '2068-12-31', '01/02/68'],
      ['31/12/69', '1969-12-31', '01/02/69'],
      ['12/31/2024', '2024-12-31', '01/02/2024'],
      ['12-31-2024', '2024-12-31', '1-2-2024'],
      ['12/31/24', '2024-12-31', '1/2/24'],
      ['31 Dec 2024', '2024-12-31', '2 January 2024'],
      ['31-Dec-24', '2024-12-31', '02-Jan-24'],
      ['31st December 2024', '2024-12-31', '2nd Jan 2024'],
      ['Dec 31, 2024', '2024-12-31', 'January 2, 2024'],
      ['December 31st, 2024', '2024-12-31', 'Jan 2nd, 2024'],
      ['Tue, 31 Dec 2024 10:00:00 +0100', '2024-12-31T09:00:00.000Z', '02 Jan 2024 10:00 GMT'],
      ['2024-12-31T10:00:00Z', '2024-12-31T10:00:00.000Z', '2024-01-02T10:00:00Z'],
      ['2024-12-31T10:00:00.123456Z', '2024-12-31T10:00:00.123Z', '2024-01-02T10:00:00.5Z'],
      ['2024-12-31 10:00:00+02:00', '2024-12-31T08:00:00.000Z', '2024-01-02 10:00:00-05:00'],
      ['2024-12-31 10:00', '2024-12-31T09:00:00.000Z', '2024-01-02 10:00'],
      ['2024-07-31 10:00:30', '2024-07-31T08:00:30.000Z', '2024-01-02 10:00:30'],
      ['31/12/2024 10:00', '2024-12-31T09:00:00.000Z', '02/01/2024 09:30'],
      ['12/31/2024 1:05 PM', '2024-12-31T12:05:00.000Z', '01/02/2024 12:00 am'],
      ['1735639200', '2024-12-31T10:00:00.000Z', '1704189600'],
      ['1735639200123', '2024-12-31T10:00:00.123Z', '1704189600000'],
      ['29.02.2024', '2024-02-29', '28.02.2024'],
    ];
    expect(written).toHaveLength(30);
    const quoted = (cells: string[]) => cells.map((cell) => `"${cell}"`).join(',');
    const names = written.map((_, n) => `date ${n}`);
    const file = [
      quoted(['email', ...names]),
      quoted(['a@example.com', ...written.map(([value]) => value)]),
      quoted(['b@example.com', ...written.map(([, , second]) => second)]),
    ].join('\n');
    const importId = await uploaded(harness, own, file);
    // 20241231 and seconds may be numbers as well, so that their format has to be named.
    const formats: Record<number, string> = { 4: 'iso' };
    const mapping = [
      { column: 'email', to: 'email' },
      ...names.map((column, n) => ({ column, to: 'field', type: 'DATE', ...(formats[n] && { format: formats[n] }) })),
    ];
    const state = await checked(harness, own, importId, { mapping });
    expect(state).toMatchObject({ state: 'CHECKED', failure: null, check: { new: 2, refused: {} } });
    expect(await imported(harness, own, importId)).toMatchObject({ imported: 2, failed: 0 });
    const { customFields } = await subscriber('a@example.com', own);
    expect(names.map((name) => customFields[name])).toEqual(written.map(([, stored]) => stored));
  });

  it('reports before it starts how many subscribers the check counted', async () => {
    const own = await organization(harness);
    const importId = await uploaded(harness, own, 'email\na@example.com', { name: 'May' });
    expect(await harness.describe('start_subscriber_import', { importId }, own)).toMatchObject({
      ok: true,
      data: { action: 'Start the import', message: expect.stringContaining('no check has counted') },
    });
    await checked(harness, own, importId, { options: { resubscribe: true } });
    expect(await harness.describe('start_subscriber_import', { importId }, own)).toMatchObject({
      data: {
        message:
          'Imports "May" (0 MiB): creates 1 subscriber and updates 0. UNSUBSCRIBED subscribers become SUBSCRIBED.',
      },
    });
  });

  it('refuses with MAPPING_INVALID a date whose format no check has inferred', async () => {
    const importId = await uploaded(harness, tenant, 'email,born\na@example.com,2000-01-01');
    const mapping = [
      { column: 'email', to: 'email' },
      { column: 'born', to: 'field', type: 'DATE' },
    ];
    expect(await harness.refusal('start_subscriber_import', { importId, mapping }, tenant)).toBe('MAPPING_INVALID');
    await harness.data('cancel_subscriber_import', { importId }, tenant);
  });

  it('refuses with QUOTA_REACHED what the check says does not fit, and ends FAILED when the room is gone meanwhile', async () => {
    const own = await organization(harness);
    const bounds = { plan: 'FREE' as const, quotas: { contacts: 2, mailsPerMonth: null, domains: null } };
    const bounded = { ...own, bounds };
    const importId = await uploaded(harness, own, rows(3, 'q'));
    await checked(harness, own, importId);
    expect(await harness.refusal('start_subscriber_import', { importId }, bounded)).toBe('QUOTA_REACHED');
    const quotas = { contacts: 2 };
    const nobody = harness.caller({ organizationId: '' });
    await harness.client(domainRequests).set_organization({ organizationId: own.organizationId, quotas }, nobody);
    const blind = await imported(harness, own, importId);
    expect(blind).toMatchObject({ state: 'FAILED', imported: 0, failure: expect.stringContaining('2 contacts') });
  });

  it('refuses with IMPORT_STATE one that has ended or has no file, and with IMPORT_NOT_FOUND one of another organization', async () => {
    const importId = await uploaded(harness, otherTenant, 'email\na@example.com');
    const refusal = (input: object, by = tenant) => harness.refusal('start_subscriber_import', input, by);
    expect(await refusal({ importId })).toBe('IMPORT_NOT_FOUND');
    await imported(harness, otherTenant, importId);
    expect(await refusal({ importId }, otherTenant)).toBe('IMPORT_STATE');
    const { import: bare } = await harness.data<{ import: { id: string } }>('create_subscriber_import', {}, tenant);
    expect(await refusal({ importId: bare.id })).toBe('IMPORT_STATE');
    await harness.data('cancel_subscriber_import', { importId: bare.id }, tenant);
  });
});
