import { AuditLog } from '../../apps/gateway/src/audit/audit-log.js';

/** The gateway as it is, but for its audit log: what the log costs is the difference. */
AuditLog.prototype.note = () => undefined;
await import('../../apps/gateway/src/main.js');
