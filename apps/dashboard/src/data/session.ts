import { listen } from './listen.js';
import { refusalOf, Refusal } from './refusal.js';

export type Role = 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';

export interface Membership {
  id: string;
  number: number;
  name: string;
  role: Role;
  /** Whether the organization requires a second factor of its members. */
  requireSecondFactor?: boolean;
}

export interface Session {
  session: { id: string; signedInAt: string; expiresAt: string };
  user: {
    id: string;
    email: string;
    name: string;
    locale: string | null;
    timezone: string | null;
    operator: boolean;
    /** Whether the user has a second factor. */
    secondFactor?: boolean;
  };
  organizations: Membership[];
  csrf: string;
}

export type ProvingFactor = 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE';

/** The second step of a sign-in: one of the factors goes with the ticket to `POST /api/session/factor`. */
export interface FactorsAsked {
  factors: ProvingFactor[];
  ticket: string;
}
/** What a sign-in answers. */
export type SignInReply = Session | FactorsAsked;

let current: Session | null = null;
let organization: number | null = null;
const changes = listen();

/** The session of this page; null before sign-in. */
export const currentSession = (): Session | null => current;

export function noteSession(session: Session | null): void {
  current = session;
  changes.tell();
}

export const onSession = changes.add;

/** The number of the organization in the address; null outside of one. */
export const currentOrganization = (): number | null => organization;

export function setOrganization(number: number | null): void {
  organization = number;
}

export const currentMembership = (): Membership | null =>
  current?.organizations.find(({ number }) => number === organization) ?? null;

/** The headers that a page of this origin sends with each call; by default in the organization of the address. */
export function sessionHeaders(called: number | null = organization): Record<string, string> {
  return {
    ...(current && { 'tidings-csrf': current.csrf }),
    ...(called !== null && { 'tidings-organization': String(called) }),
  };
}

/**
 * Calls a private route of sessions, such as `POST /api/session/setup`.
 * @returns the data of the reply
 * @throws Refusal
 */
export async function callSession<D = Session>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: '' | `/${string}`,
  body?: object,
): Promise<D> {
  try {
    return await sendSession<D>(method, path, body);
  } catch (error) {
    if (!(await isRefreshed(error))) throw error;
    return await sendSession<D>(method, path, body);
  }
}

/**
 * After a refusal for the csrf value (CSRF_REFUSED): another tab has signed in meanwhile, so that the session is read again.
 * @returns whether the same user may repeat the call
 */
export async function isRefreshed(error: unknown): Promise<boolean> {
  const before = current;
  if (!(error instanceof Refusal) || error.reason !== 'CSRF_REFUSED' || !before) return false;
  const now = await readSession();
  return now?.user.id === before.user.id && now.csrf !== before.csrf;
}

async function sendSession<D>(method: string, path: string, body?: object): Promise<D> {
  const response = await fetch(`/api/session${path}`, {
    method,
    headers: { ...sessionHeaders(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Refusal(0, { error: String(cause), code: 'NO_ANSWER' }, null);
  });
  const reply = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) throw refusalOf(response, reply);
  return reply.data as D;
}

/** Reads the session of the cookie. @returns null without one in force */
export async function readSession(): Promise<Session | null> {
  try {
    noteSession(await callSession('GET', ''));
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    noteSession(null);
  }
  return current;
}
