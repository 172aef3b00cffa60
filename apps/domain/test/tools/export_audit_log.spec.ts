import { describe, expect, it } from '@jest/globals';
import { auditRequests } from '#contracts';
import type { AuditEntry } from '#contracts';
import { newId } from '#database';
import { deriveKey, ExportTokens } from '#link-token';
import { testMasterKey } from '../../../../test/harness/service-plans.js';
import { openPeople } from '../people-fixture.js';

describe('export_audit_log', () => {
  const people = openPeople();
  const tokens = new ExportTokens(deriveKey(testMasterKey(), 'exports'));
  const record = (entries: AuditEntry[]) =>
    people.harness.client(auditRequests).record_audit({ entries }, people.harness.caller(people.ours));
  const entry = (target: string): AuditEntry => ({
    id: newId('adt'),
    ...people.ours,
    tokenId: null,
    actor: { kind: 'USER', id: people.owner.id },
    tool: 'create_tag',
    target,
    source: 'tools',
    outcome: 'OK',
    requestId: 'r',
  });
  const exported = async (input: object) => {
    const data = await people.data<{ downloadUrl: string; expiresAt: string }>(people.owner, 'export_audit_log', input);
    const link = tokens.open(data.downloadUrl.split('/d/')[1]!, new Date())!;
    expect(link.expiresAt.toISOString()).toBe(data.expiresAt);
    return link;
  };
  const read = async (exportId: string, by = people.ours) => {
    const texts: string[] = [];
    for (let after: string | null = null, isEnd = false; !isEnd;) {
      const asked = { exportId, after };
      const { part } = await people.harness.client(auditRequests).read_audit_export(asked, people.harness.caller(by));
      if (!part) return null;
      texts.push(part.text);
      after = part.next;
      isEnd = after === null;
    }
    return { text: texts.join(''), parts: texts.length };
  };

  it('links to a file for 15 minutes, in parts, with what exists now; formulas are guarded', async () => {
    for (const half of [0, 600]) await record(Array.from({ length: 600 }, (_, n) => entry(`tag ${half + n}`)));
    await record([entry('=HYPERLINK("http://evil.example")')]);
    const csv = await exported({});
    expect(csv.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    const json = await exported({ format: 'JSON', target: 'tag 7' });
    await record([entry('late')]);
    const file = await read(csv.exportId);
    const lines = file!.text.trim().split('\r\n');
    expect({ parts: file!.parts, lines: lines.length }).toEqual({ parts: 2, lines: 1_202 });
    expect(lines[0]).toMatch(/^id,at,actorKind,actorId,actorName,tool,target,/);
    expect(lines[1]).toContain(`,"'=HYPERLINK(""http://evil.example"")",`);
    expect(file!.text).not.toContain('late');
    expect(JSON.parse((await read(json.exportId))!.text)).toMatchObject([{ target: 'tag 7', tool: 'create_tag' }]);
  });

  it('opens for no other organization, and holds nothing of one', async () => {
    const { exportId } = await exported({});
    expect(await read(exportId, people.theirs)).toBeNull();
    const outcome = await people.as(people.stranger, 'export_audit_log', { format: 'JSON' }, people.theirs);
    const { downloadUrl } = (outcome as { data: { downloadUrl: string } }).data;
    const link = tokens.open(downloadUrl.split('/d/')[1]!, new Date())!;
    expect(JSON.parse((await read(link.exportId, people.theirs))!.text)).toEqual([]);
  });
});
