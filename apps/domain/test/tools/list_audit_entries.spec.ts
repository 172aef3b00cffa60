import { beforeAll, describe, expect, it } from '@jest/globals';
import { auditRequests } from '#contracts';
import type { AuditEntry, Data } from '#contracts';
import type { accessTools } from '#contracts';
import { newId, uuidOf } from '#database';
import { openPeople } from '../people-fixture.js';

type Page = Data<(typeof accessTools)['calls']['list_audit_entries']>;

describe('list_audit_entries', () => {
  const people = openPeople();
  const entries: AuditEntry[] = [];
  const list = (input: object = {}) => people.data<Page>(people.owner, 'list_audit_entries', input);
  const requestIds = async (input: object) => (await list(input)).entries.map(({ requestId }) => requestId);

  beforeAll(async () => {
    const entry = (requestId: string, change: Partial<AuditEntry> = {}): AuditEntry => ({
      id: newId('adt'),
      ...people.ours,
      tokenId: null,
      actor: { kind: 'USER', id: people.owner.id },
      sessionId: newId('ses'),
      ip: '192.0.2.1',
      tool: 'create_tag',
      target: 'news',
      source: 'tools',
      outcome: 'OK',
      requestId,
      ...change,
    });
    entries.push(
      entry('1'),
      entry('2', { tool: 'delete_tag', outcome: 'TAG_NOT_FOUND', approvedBy: people.owner.id }),
      entry('3', { source: 'mcp', tokenId: newId('tok'), actor: undefined, target: 'other' }),
    );
    await people.harness.client(auditRequests).record_audit({ entries }, people.harness.caller(people.ours));
  });

  it('shows who, what, from where and who approved, the newest first, page by page', async () => {
    const first = await list({ limit: 2 });
    expect(first.entries.map(({ requestId }) => requestId)).toEqual(['3', '2']);
    expect(first.entries[1]).toMatchObject({
      actor: { kind: 'USER', id: people.owner.id, name: 'The owner' },
      ip: '192.0.2.1',
      sessionId: entries[1]!.sessionId,
      approvedBy: { id: people.owner.id, name: 'The owner' },
    });
    expect(await list({ limit: 2, cursor: first.nextCursor })).toMatchObject({
      entries: [{ requestId: '1' }],
      nextCursor: null,
    });
    expect(await people.refusal(people.owner, 'list_audit_entries', { cursor: 'x' })).toBe('PARAMETERS_INVALID');
  });

  it.each<[object, string[]]>([
    [{ tool: 'delete_tag' }, ['2']],
    [{ target: 'other' }, ['3']],
    [{ outcome: 'OK' }, ['3', '1']],
    [{ source: 'mcp' }, ['3']],
    [{ since: '2999-01-01T00:00:00.000Z' }, []],
    [{ since: '2999-01-01T00:00:00Z' }, []],
    [{ until: '2999-01-01T02:00:00+02:00', outcome: 'OK' }, ['3', '1']],
    [{ until: '2000-01-01T00:00:00.000Z' }, []],
    [{ actorId: 'tok_unknown' }, []],
  ])('narrows by %j', async (filter, expected) => {
    expect(await requestIds(filter)).toEqual(expected);
  });

  it('narrows by a user and by a token', async () => {
    expect(await requestIds({ actorId: people.owner.id })).toEqual(['2', '1']);
    expect(await requestIds({ actorId: entries[2]!.tokenId })).toEqual(['3']);
  });

  it('keeps addresses of clients for 90 days', async () => {
    const { manager } = people.harness.dataSource('domain');
    const old = (days: number) =>
      manager.query(
        `insert into audit_entry (organization_id, audit_id, tool, source, outcome, request_id, ip)
         values ($1, uuid_floor(now() - make_interval(days => $2)), 'sign_in', 'session', 'OK', 'old', '192.0.2.2')`,
        [uuidOf('org', people.ours.organizationId), days],
      );
    await old(89);
    await old(91);
    expect(await people.repositories.audit.deleteAddresses()).toBe(1);
    const ips = (await list({ tool: 'sign_in' })).entries.map(({ ip }) => ip);
    expect(ips).toEqual(['192.0.2.2', null]);
  });

  it('shows none of another organization', async () => {
    const outcome = await people.as(people.stranger, 'list_audit_entries', {}, people.theirs);
    expect(outcome).toMatchObject({ ok: true, data: { entries: [], nextCursor: null } });
  });
});
