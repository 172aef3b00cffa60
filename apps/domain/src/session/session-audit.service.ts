import { createHash } from 'node:crypto';
import type { AuditEntry } from '#contracts';
import { newId, wireId } from '#database';
import type { Repositories } from '../repositories.js';
import type { SessionAction } from './session-action.js';

export interface SessionEvent {
  action: SessionAction;
  userId: string;
  /** Who did it; default: the user. */
  actor?: AuditEntry['actor'];
  outcome?: string;
  sessionId?: string | null;
  target?: string | null;
  ip: string | null;
  requestId: string;
}

/** Records what a user did, in the log of each organization where the user is a member. */
export async function recordSession(
  { audit, members }: Pick<Repositories, 'audit' | 'members'>,
  event: SessionEvent,
): Promise<void> {
  const {
    action,
    userId,
    actor = { kind: 'USER', id: userId },
    outcome = 'OK',
    sessionId = null,
    target = null,
    ip,
    requestId,
  } = event;
  const organizations = await members.listOfUser(userId);
  const made = organizations.map(({ id: organizationId }): AuditEntry => ({
    id: outcome === 'OK' ? newId('adt') : failureId(organizationId, userId, action),
    organizationId,
    tokenId: null,
    actor,
    sessionId,
    ip: ip?.slice(0, 60) ?? null,
    tool: action,
    target,
    source: 'session',
    outcome,
    requestId,
  }));
  await audit.insert(made);
}

const minuteMs = 60_000;

/**
 * The id of a failure: one for each minute, account and action, so that guessing does not fill the log; further ones are
 * the same entry. Its time is the beginning of the minute.
 */
function failureId(organizationId: string, userId: string, action: SessionAction): string {
  const minute = Math.floor(Date.now() / minuteMs) * minuteMs;
  const hash = createHash('sha256').update(`${organizationId} ${userId} ${action} ${minute}`).digest('hex');
  const time = minute.toString(16).padStart(12, '0');
  // A UUID of version 7 (RFC 9562, section 5.7), the variant in the first letter of its fourth group.
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
  return wireId('adt', uuid);
}
