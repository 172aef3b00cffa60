import { beforeAll, describe, expect, it } from '@jest/globals';
import { newUuid, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { ExportRepository } from '../../src/export/export.repository.js';
import { exportWorker, fileOf } from '../exports.js';
import { organization } from '../subscriber-fixture.js';

interface State {
  exportId: string;
  status: string;
  rows: number;
  progress: number;
  failure?: string;
}

describe('create_subscriber_export', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const create = async (input: object = {}, by = tenant) =>
    (await harness.data<{ exportId: string; status: string }>('create_subscriber_export', input, by)).exportId;
  const stateOf = (exportId: string) => harness.data<State>('get_subscriber_export', { exportId }, tenant);
  const written = async (input: object): Promise<string[]> => {
    const exportId = await create(input);
    while (await exportWorker(harness).writeNext()) continue;
    return (await fileOf(harness, tenant, exportId))!.split('\r\n').slice(0, -1);
  };
  const emailsIn = (lines: string[]) => lines.slice(1).map((line) => line.split(',')[0]!);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    const subscribers = Array.from({ length: 25 }, (_, i) => ({
      email: `p${i}@example.com`,
      name: i % 2 ? 'Odd' : 'Even',
      fields: { No: i },
      tags: i < 5 ? ['first'] : [],
    }));
    await harness.data('import_subscribers', { subscribers }, tenant);
    await harness.data('unsubscribe', { email: 'p0@example.com' }, tenant);
    await harness.data('import_subscribers', { subscribers: [{ email: 'foreign@example.com' }] }, otherTenant);
  });

  it('queues an export that becomes a file of all subscribers, each once', async () => {
    expect(await harness.data('create_subscriber_export', {}, tenant)).toEqual({
      exportId: expect.stringMatching(/^exp_/),
      status: 'QUEUED',
    });
    const lines = await written({});
    expect(lines[0]).toBe('email,name,phone,status,tags,No,createdAt');
    expect(new Set(emailsIn(lines)).size).toBe(25);
    expect(lines).toHaveLength(26);
  });

  it('writes whom filters, text, status and tag select, in the columns chosen', async () => {
    const filters = [{ type: 'FIELD', fieldName: 'No', valueType: 'NUMBER', operator: 'LESS_THAN', value: 10 }];
    expect(emailsIn(await written({ filters, query: 'ODD' })).sort()).toEqual(
      ['p1', 'p3', 'p5', 'p7', 'p9'].map((name) => `${name}@example.com`),
    );
    expect(await written({ tag: 'FIRST', status: 'unsubscribed', fields: ['name', 'email'] })).toEqual([
      ...['email,name', 'p0@example.com,Even'],
    ]);
    expect(await written({ query: 'nobody', fields: ['customFields'] })).toEqual(['No']);
  });

  it('survives the end of its process: another one continues after the last page, without duplicates', async () => {
    const exportId = await create();
    await exportWorker(harness, 10).writeNext(1);
    expect(await stateOf(exportId)).toMatchObject({ status: 'RUNNING', rows: 10, progress: 0.4 });
    expect(await fileOf(harness, tenant, exportId)).toBeNull();
    const gone = newUuid();
    const losing = new ExportRepository(harness.dataSource('subscriber').manager);
    const claimed = (await losing.claim(gone))!;
    await harness
      .dataSource('subscriber')
      .query(`update export set until = clock_timestamp() - interval '1 s' where export_id = $1`, [
        uuidOf('exp', exportId),
      ]);
    expect(await exportWorker(harness, 10).writeNext()).toBe(true);
    // A process that wakes up late has lost its lease and writes nothing.
    const page = { pieces: [Buffer.from('late')], rows: 1, lastSubscriberId: null };
    expect(await losing.addPage(claimed, gone, page)).toBe(false);
    expect(await stateOf(exportId)).toMatchObject({ status: 'DONE', rows: 25, progress: 1 });
    const emails = emailsIn((await fileOf(harness, tenant, exportId))!.split('\r\n').slice(0, -1));
    expect(emails).toHaveLength(25);
    expect(new Set(emails).size).toBe(25);
  });

  it('ends FAILED with the reason when what it names is gone by then', async () => {
    const { tag } = await harness.data<{ tag: { id: string } }>('create_tag', { name: 'gone' }, tenant);
    const byTag = await create({ tag: 'gone' });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagIds: [tag.id] }];
    const byFilter = await create({ filters });
    await harness.data('delete_tag', { tagId: tag.id }, tenant);
    while (await exportWorker(harness).writeNext()) continue;
    for (const exportId of [byTag, byFilter]) {
      expect(await stateOf(exportId)).toMatchObject({ status: 'FAILED', failure: expect.stringContaining(tag.id) });
      expect(await fileOf(harness, tenant, exportId)).toBeNull();
    }
  });

  it('refuses an unknown tag with TAG_NOT_FOUND and bad filters with FILTERS_INVALID', async () => {
    const refused = (input: object, by = tenant) => harness.refusal('create_subscriber_export', input, by);
    expect(await refused({ tag: 'nope' })).toBe('TAG_NOT_FOUND');
    expect(await refused({ tag: 'first' }, otherTenant)).toBe('TAG_NOT_FOUND');
    expect(await refused({ filters: [{ type: 'NOPE', field: 'x', operator: 'y' }] })).toBe('FILTERS_INVALID');
    for (const wrong of [{ fields: [] }, { fields: ['ip'] }, { status: 'NOPE' }])
      expect(await refused(wrong)).toBe('PARAMETERS_INVALID');
  });

  it('refuses with FILTER_TARGET_GONE a segment that names something gone', async () => {
    const { tag } = await harness.data<{ tag: { id: string } }>('create_tag', { name: 'soon gone' }, tenant);
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [tag.id] }];
    const { segmentId } = await harness.data<{ segmentId: string }>('create_segment', { name: 'S', filters }, tenant);
    await harness
      .dataSource('subscriber')
      .query(`update tag set deleted_at = now() where tag_id = $1`, [uuidOf('tag', tag.id)]);
    const segment = [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId }];
    expect(await harness.refusal('create_subscriber_export', { filters: segment }, tenant)).toBe('FILTER_TARGET_GONE');
  });

  it('keeps the column of a field that is renamed during the export, also if its name is reused', async () => {
    const exportId = await create({ fields: ['email', 'customFields'] });
    await exportWorker(harness, 10).writeNext(1);
    const { customFields } = await harness.data<{ customFields: { id: string }[] }>('get_custom_fields', {}, tenant);
    const [{ id: fieldId } = { id: '' }] = customFields;
    await harness.data('rename_custom_field', { fieldId, name: 'Number' }, tenant);
    await harness.data(
      'update_subscriber',
      { subscriber: 'p0@example.com', fields: { No: 'of another field' } },
      tenant,
    );
    await exportWorker(harness, 10).writeNext();
    const lines = (await fileOf(harness, tenant, exportId))!.split('\r\n').slice(0, -1);
    expect(lines[0]).toBe('email,No');
    expect(lines.slice(1).sort()).toEqual(Array.from({ length: 25 }, (_, i) => `p${i}@example.com,${i}`).sort());
  });

  it('alternates between organizations, so that none waits for all exports of another', async () => {
    const [many, one] = [await organization(harness), await organization(harness)];
    for (const tenant of [many, one])
      await harness.data('import_subscribers', { subscribers: [{ email: 'a@example.com' }] }, tenant);
    while (await exportWorker(harness).writeNext()) continue;
    for (let n = 0; n < 5; n++) await create({}, many);
    await exportWorker(harness).writeNext();
    const exportId = await create({}, one);
    await exportWorker(harness).writeNext();
    expect(await harness.data('get_subscriber_export', { exportId }, one)).toMatchObject({ status: 'DONE' });
  });

  it('refuses an export more than may be open with LIMIT_REACHED, also to callers at once', async () => {
    const tenant = await organization(harness);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => harness.call('create_subscriber_export', {}, tenant)),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(10);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
      error: { code: 'REFUSED', reason: 'LIMIT_REACHED', limit: { limit: 10, used: 10 } },
    });
    while (await exportWorker(harness).writeNext()) continue;
    await create({}, tenant);
  });
});
