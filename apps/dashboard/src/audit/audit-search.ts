import * as z from 'zod/mini';
import type { ToolData } from '#client';

export type AuditEntry = ToolData<'list_audit_entries'>['entries'][number];

const day = z.iso.date();
export const auditSearch = z.object({
  actor: z.optional(z.string().check(z.maxLength(100))),
  tool: z.optional(z.string().check(z.maxLength(100))),
  target: z.optional(z.string().check(z.maxLength(320))),
  source: z.optional(z.enum(['tools', 'v1', 'mcp', 'session'])),
  from: z.optional(day),
  to: z.optional(day),
});
export type AuditSearch = z.output<typeof auditSearch>;
