import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { auditRequests } from '#contracts';
import { newId } from '#database';
import { observedGauges } from '#observability';
import type { Logger, Metrics } from '#observability';
import type { Outcome } from '#tool-call';
import type { ToolCall } from '../tool/tool-calls.js';
import type { V1Call } from '../v1/v1-calls.js';
import { AuditLog } from './audit-log.js';
import type { AuditedCall } from './audit-log.js';

const deliverMs = 5_000;

export function makeAuditLog(bus: Bus, log: Logger, { registry }: Metrics): AuditLog {
  const domain = bus.client(auditRequests);
  const audit = new AuditLog({
    newId: () => newId('adt'),
    deliver: (entries) => domain.record_audit({ entries: [...entries] }, serviceCaller('', 'audit', deliverMs)),
    onFailure: (error, waiting) => log.warn({ err: error, waiting }, 'the audit log waits'),
    onLost: ({ id, tool, requestId }) =>
      log.error({ id, tool, requestId }, 'audit log buffer is full; dropped an entry'),
  });
  observedGauges(registry, { tidings_audit_entries_pending: 'Entries of the audit log not yet recorded' }, () =>
    Promise.resolve({ tidings_audit_entries_pending: audit.size }),
  );
  return audit;
}

export const auditedTool = (
  { entry, token, requestId, source }: ToolCall,
  input: unknown,
  outcome: Outcome,
): AuditedCall => ({
  organizationId: token.organizationId,
  tokenId: token.tokenId,
  actor: token.actor,
  sessionId: token.session?.id ?? null,
  ip: token.ip,
  requestId,
  input,
  outcome,
  tool: entry.name,
  scope: entry.contract.scope,
  source: source as AuditedCall['source'],
});

export const auditedEndpoint = (
  { endpoint, token, requestId }: V1Call,
  input: unknown,
  outcome: Outcome,
): AuditedCall => ({
  organizationId: token.organizationId,
  tokenId: token.tokenId,
  actor: token.actor,
  sessionId: token.session?.id ?? null,
  ip: token.ip,
  requestId,
  input,
  outcome,
  tool: endpoint.name,
  scope: endpoint.scope,
  source: 'v1',
});
