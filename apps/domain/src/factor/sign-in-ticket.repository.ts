import { createHash } from 'node:crypto';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { SecretBox } from '#link-token';
import { hashSecret, makeLinkSecret } from '../session/one-time-link.repository.js';
import type { SessionAction } from '../session/session-action.js';

const minutes = 5;

/** A sign-in whose user has proven something, or asks to by a passkey. */
export interface SignInTicket {
  /** SIGN_IN: the first factor is proven. PASSKEY: nothing is, and only a passkey counts. */
  purpose: 'SIGN_IN' | 'PASSKEY';
  /** Null while anyone may come, with a passkey. */
  userId: string | null;
  action: SessionAction;
  target: string | null;
  /** The session that the sign-in makes recent; null for a new one. */
  sessionId: string | null;
  /** The known browser in which the sign-in began. */
  device: string | null;
  challenge: string | null;
}

type SetUpPurpose = 'ADD_TOTP' | 'ADD_PASSKEY';

interface Row {
  purpose: SignInTicket['purpose'];
  user_id: string | null;
  action: SessionAction;
  target: string | null;
  session_id: string | null;
  device: string | null;
  challenge: string | null;
}

/** Sign-ins and set-ups of factors that are in progress, for five minutes each. */
export class SignInTicketRepository {
  constructor(
    private readonly sql: Sql,
    private readonly box: SecretBox,
  ) {}

  /** @returns the ticket's secret */
  async insert(ticket: SignInTicket): Promise<string> {
    const secret = makeLinkSecret();
    await this.sql.query(
      `insert into sign_in_ticket (ticket_hash, user_id, purpose, action, target, session_id, device, challenge, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + make_interval(mins => ${minutes}))`,
      [
        hashSecret(secret),
        ticket.userId === null ? null : uuidOf('usr', ticket.userId),
        ticket.purpose,
        ticket.action,
        ticket.target,
        ticket.sessionId === null ? null : uuidOf('ses', ticket.sessionId),
        ticket.device,
        ticket.challenge,
      ],
    );
    return secret;
  }

  /** @returns null for an unknown, used or expired one */
  async find(secret: string): Promise<SignInTicket | null> {
    const rows: Row[] = await this.sql.query(
      `select purpose, user_id, action, target, session_id, device, challenge from sign_in_ticket
       where ticket_hash = $1 and purpose in ('SIGN_IN', 'PASSKEY') and expires_at > clock_timestamp()`,
      [hashSecret(secret)],
    );
    const row = rows[0];
    if (!row) return null;
    return {
      purpose: row.purpose,
      userId: row.user_id === null ? null : wireId('usr', row.user_id),
      action: row.action,
      target: row.target,
      sessionId: row.session_id === null ? null : wireId('ses', row.session_id),
      device: row.device,
      challenge: row.challenge,
    };
  }

  async updateChallenge(secret: string, challenge: string): Promise<void> {
    await this.sql.query(`update sign_in_ticket set challenge = $2 where ticket_hash = $1`, [
      hashSecret(secret),
      challenge,
    ]);
  }

  /** Uses a ticket. @returns false when it was used meanwhile */
  async take(secret: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(`delete from sign_in_ticket where ticket_hash = $1 returning 1`, [
      hashSecret(secret),
    ]);
    return rows.length > 0;
  }

  /** Keeps the secret or challenge of a factor that a session sets up; a former one of the session ends. */
  async putSetUp(purpose: SetUpPurpose, sessionId: string, text: string): Promise<void> {
    const hash = setUpHash(purpose, sessionId);
    await this.sql.query(
      `insert into sign_in_ticket (ticket_hash, purpose, session_id, sealed, expires_at)
       values ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => ${2 * minutes}))
       on conflict (ticket_hash) do update set sealed = excluded.sealed, expires_at = excluded.expires_at`,
      [hash, purpose, uuidOf('ses', sessionId), this.box.seal(text, hash)],
    );
  }

  /** @returns null when none is in progress */
  async findSetUp(purpose: SetUpPurpose, sessionId: string): Promise<string | null> {
    const hash = setUpHash(purpose, sessionId);
    const rows: { sealed: Buffer }[] = await this.sql.query(
      `select sealed from sign_in_ticket where ticket_hash = $1 and expires_at > clock_timestamp()`,
      [hash],
    );
    return rows[0] ? this.box.open(rows[0].sealed, hash) : null;
  }

  /** @returns false when it ended meanwhile */
  async takeSetUp(purpose: SetUpPurpose, sessionId: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(`delete from sign_in_ticket where ticket_hash = $1 returning 1`, [
      setUpHash(purpose, sessionId),
    ]);
    return rows.length > 0;
  }

  /** Ends the sign-ins and set-ups of a user that are in progress. */
  async deleteOfUser(userId: string): Promise<void> {
    await this.sql.query(
      `delete from sign_in_ticket where user_id = $1
         or session_id in (select session_id from session where user_id = $1)`,
      [uuidOf('usr', userId)],
    );
  }

  async deleteExpired(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `delete from sign_in_ticket where ticket_hash in (
         select ticket_hash from sign_in_ticket where expires_at < clock_timestamp() limit 5000) returning 1`,
    );
    return rows.length;
  }
}

/** A session has one set-up of a kind; its id names it, prefixed so that no ticket's secret has the same hash. */
const setUpHash = (purpose: SetUpPurpose, sessionId: string): string =>
  createHash('sha256').update(`${purpose} ${sessionId}`).digest('hex');
