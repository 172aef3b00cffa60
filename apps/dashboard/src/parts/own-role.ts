import { currentMembership } from '../data/session.js';
import type { Role } from '../data/session.js';
import { isAtLeast } from './screen.js';

/** Whether the user's role in the organization of the address is at least another one. */
export function mayAct(lowest: Role): boolean {
  const own = currentMembership();
  return own !== null && isAtLeast(own.role, lowest);
}
