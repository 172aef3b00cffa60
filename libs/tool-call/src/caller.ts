import type { actorKinds, Scope } from '#contracts';
import type { Bounds } from './quota/quota.js';

/** Who acts: a token, a user, the operator's command, or a service by itself. */
export interface Actor {
  kind: (typeof actorKinds)[number];
  /** Wire id (`tok_…`, `usr_…`); the name of the service for its own work. */
  id: string;
}

/** Who calls, on whose behalf, and until when; travels with every request between services. */
export interface Caller {
  /** Wire id (`org_…`); empty for calls that belong to no organization (authentication, operator). */
  organizationId: string;
  tokenId: string | null;
  /** Absent from callers of an older version: then the token, if there is one. */
  actor?: Actor | undefined;
  /** Whether the caller's calls of scope `send` become approvals. */
  asks?: boolean | undefined;
  requestId: string;
  /** Set when the call must have its effect once however often it arrives: an Idempotency-Key or a confirmed call. */
  callId: string | null;
  /** Of the whole request, where this call is only a part of it: under its call id nothing else may be asked again. */
  wholeHash?: string | undefined;
  /** Milliseconds since the epoch; a host refuses what arrives later. */
  deadline: number;
  /** The instant rules reason with. */
  now: Date;
  /** The entry point of the call; `editor` saves by itself while the user types. */
  source: 'tools' | 'editor' | 'v1' | 'mcp' | 'link' | 'operator' | 'service';
  scopes: readonly Scope[];
  /** The updatedAt that the record of the call must still have (If-Match); for tools whose contract has `locks`. */
  ifMatch?: string | undefined;
  /** Whether a description is for an approval: only then it holds content, preview and diff, which cost more. */
  forApproval?: boolean | undefined;
  /**
   * The approval (`apr_…`) that a call carries out, and the content that its description bound, which is small. `count`:
   * how many subscribers the approver saw; absent from approvals of an older version.
   */
  approved?: { approvalId: string; content?: unknown; count?: number | undefined } | undefined;
  /** Set where the organization has quotas; a caller without a token must set them too. */
  bounds?: Bounds | undefined;
}

/** The gateway's deadline for a call (API text, section 1 of the contract: 25 s). */
export const callDeadlineMs = 25_000;
