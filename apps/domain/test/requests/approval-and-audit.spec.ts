import { beforeAll, describe, expect, it } from '@jest/globals';
import { approvalRequests, domainRequests } from '#contracts';
import type { AuditEntry } from '#contracts';
import { newId, uuidOf } from '#database';
import { SecretBox } from '#link-token';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { ApprovalRepository } from '../../src/approval/approval.repository.js';
import { AuditRepository } from '../../src/audit/audit.repository.js';
import { BacklogRepository } from '../../src/metrics/backlog.repository.js';

describe('what people decide and read of calls', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: { organizationId: string };
  let tokenId: string;
  beforeAll(async () => {
    const [requests, caller] = [harness.client(domainRequests), harness.caller({ organizationId: '' })];
    const { organization } = await requests.create_organization({ name: 'Ours' }, caller);
    tenant = { organizationId: organization.id };
    tokenId = (await requests.create_token({ ...tenant, name: 'agent' }, caller)).token.id;
  });

  const callOf = (requestHash: string) => ({
    actor: { kind: 'TOKEN' as const, id: tokenId },
    requestHash,
    callId: null,
    tool: 'delete_tag',
    parameters: { name: 'doomed' },
    action: 'Delete',
    message: 'Deletes it.',
  });

  it('waits for them for a day, as is measured', async () => {
    const waiting = async () => (await new BacklogRepository(harness.dataSource('domain')).get()).approvals;
    await harness.client(approvalRequests).ask_approval(callOf('x'), harness.caller(tenant));
    expect(await waiting()).toBe(1);
    await harness.dataSource('domain').query(`update approval set expires_at = now() - interval '1 hour'`);
    expect(await waiting()).toBe(0);
  });

  it('is forgotten with the calls that it was about', async () => {
    const database = harness.dataSource('domain');
    const ask = (requestHash: string) =>
      harness.client(approvalRequests).ask_approval(callOf(requestHash), harness.caller(tenant));
    const { approval: old } = await ask('old');
    await database.query(
      `update approval set approval_id = uuid_floor(now() - interval '401 days') where approval_id = $1`,
      [uuidOf('apr', old.id)],
    );
    const { approval: young } = await ask('young');
    const approvals = new ApprovalRepository(database, new SecretBox('0'.repeat(64), 'approvals'));
    expect(await approvals.deleteOld()).toBe(1);
    expect(await approvals.deleteOld()).toBe(0);
    const kept = await database.query(`select approval_id from approval where expires_at > now()`);
    expect(kept).toEqual([{ approval_id: uuidOf('apr', young.id) }]);
  });

  it('is forgotten after 400 days, however much there is of it', async () => {
    const database = harness.dataSource('domain');
    const entries = Array.from({ length: 12_000 }, (): AuditEntry => ({
      id: newId('adt'),
      ...tenant,
      tokenId,
      tool: 'create_tag',
      target: null,
      source: 'tools',
      outcome: 'OK',
      requestId: 'r',
    }));
    const log = new AuditRepository(database);
    await log.insert(entries);
    const old = `overlay(audit_id::text placing left(uuid_floor(now() - interval '401 days')::text, 13) from 1 for 13)`;
    await database.query(`update audit_entry set audit_id = ${old}::uuid`);
    const kept = { ...entries[0]!, id: newId('adt') };
    await log.insert([kept]);
    while ((await log.deleteOld()) > 0);
    const listed = await log.list(tenant.organizationId, {}, { before: null, limit: 10_000 });
    expect(listed.map(({ id }) => id)).toEqual([kept.id]);
  });
});
