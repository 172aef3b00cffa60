/*
 * The rules of who may be mailed, in memory. The services must always decide the same (suppression.spec.ts).
 *
 * A subscriber is one address on an organization's list. Deleted and added again, it is another subscriber, the successor
 * of the former one. A mailbox is the destination of an address, for any subscriber.
 */

/** Instants are numbers that grow; never means that it did not happen. */
export type Instant = number;
const never: Instant = -Infinity;

export type Consent = 'SUBSCRIBED' | 'PENDING_CONFIRMATION' | 'UNSUBSCRIBED' | 'TRANSACTIONAL';

/** The data kept about an address without a subscriber. */
interface Mark {
  unsubscribed: boolean;
  complained: boolean;
  dead: boolean;
}

interface Subscriber extends Omit<Mark, 'unsubscribed'> {
  id: number;
  address: string;
  addressSince: Instant;
  consent: Consent;
  /** Counted soft bounces of the present address, since the last reactivation. */
  softBounces: number;
  /** The last yes: a confirmation, the resubscribe link, a reactivation, or a call whose resubscribe is true. */
  optedInAt: Instant;
  reactivatedAt: Instant;
}

/** A deleted subscriber, with the data needed to match answers to its mail. */
interface Former extends Pick<Subscriber, 'id' | 'address' | 'optedInAt' | 'reactivatedAt'> {
  successor: number | null;
}

/** A message that went out: `id` is its subscriber's. */
export interface Mail {
  id: number;
  address: string;
}

/** Five soft bounces of the mailbox's own making suppress an address. */
const softBouncesMax = 5;

export class SuppressionModel {
  #ids = 0;
  #now: Instant = 0;
  readonly #subscribers = new Map<number, Subscriber>();
  readonly #former = new Map<number, Former>();
  readonly #marks = new Map<string, Mark>();
  /** When the mailbox of an address that was left had been given back to mail. */
  readonly #reactivated = new Map<string, Instant>();

  constructor(private readonly doubleOptIn: boolean) {}

  /** The next instant; every step has its own. */
  tick(): Instant {
    return ++this.#now;
  }

  /** Addresses that may get marketing mail: the subscriber consents, and the mailbox is not suppressed. */
  mailable(): string[] {
    const may = [...this.#subscribers.values()].filter((one) => one.consent === 'SUBSCRIBED' && !isSuppressed(one));
    return may.map(({ address }) => address).sort();
  }

  /** Whether even a transactional message is refused. */
  isSuppressed(address: string): boolean {
    return isSuppressed(this.holder(address) ?? this.#marks.get(address) ?? unmarked);
  }

  holder(address: string): Subscriber | null {
    return [...this.#subscribers.values()].find((one) => one.address === address) ?? null;
  }

  // What organizations do.

  /** An add or import: an import asserts consent, an add asks for it where double opt-in is on. */
  add(address: string, { via, resubscribe }: { via: 'add' | 'import'; resubscribe: boolean }): void {
    const initial = this.doubleOptIn && via === 'add' ? 'PENDING_CONFIRMATION' : 'SUBSCRIBED';
    const known = this.holder(address);
    if (!known) return this.#arrive(address, initial, resubscribe);
    if (resubscribe) known.optedInAt = this.#now;
    if (isSuppressed(known)) return;
    if (known.consent === 'UNSUBSCRIBED' && resubscribe) known.consent = 'SUBSCRIBED';
    if (known.consent === 'TRANSACTIONAL') known.consent = initial;
  }

  /** update_subscriber with resubscribe: true. */
  resubscribe(address: string): void {
    const known = this.holder(address);
    if (!known) return;
    known.optedInAt = this.#now;
    if (isSuppressed(known)) return;
    if (known.consent === 'UNSUBSCRIBED') known.consent = 'SUBSCRIBED';
    if (known.consent === 'TRANSACTIONAL') known.consent = this.doubleOptIn ? 'PENDING_CONFIRMATION' : 'SUBSCRIBED';
  }

  /** A transactional message; a suppressed address is refused. */
  transact(address: string): Mail | null {
    if (this.isSuppressed(address)) return null;
    if (!this.holder(address)) this.#arrive(address, 'TRANSACTIONAL', false);
    return { id: this.holder(address)!.id, address };
  }

  /** The subscriber takes its marks along and leaves them with the old address; those of the new one join them. */
  rename(from: string, to: string): void {
    const known = this.holder(from);
    if (!known || this.holder(to)) return;
    this.#leave(known);
    const mark = this.#marks.get(to) ?? unmarked;
    if (mark.unsubscribed) known.consent = 'UNSUBSCRIBED';
    Object.assign(known, { address: to, addressSince: this.#now, softBounces: 0 });
    known.complained ||= mark.complained;
    known.dead ||= mark.dead;
    this.#succeed(known);
  }

  delete(address: string): void {
    const known = this.holder(address);
    if (!known) return;
    this.#leave(known);
    this.#subscribers.delete(known.id);
    const { id, optedInAt, reactivatedAt } = known;
    this.#former.set(id, { id, address, optedInAt, reactivatedAt, successor: null });
  }

  /** The caller vouches for consent and mailbox. */
  reactivate(address: string): void {
    const known = this.holder(address);
    if (!known) return;
    if (!isSuppressed(known) && known.consent !== 'UNSUBSCRIBED') return;
    Object.assign(known, { consent: 'SUBSCRIBED', complained: false, dead: false, softBounces: 0 });
    Object.assign(known, { optedInAt: this.#now, reactivatedAt: this.#now });
    this.#marks.delete(address);
  }

  unsubscribe(address: string): void {
    const known = this.holder(address);
    if (known) known.consent = 'UNSUBSCRIBED';
  }

  // What recipients do. Each answers a mail, which may be one of before a deletion.

  confirm(id: number): void {
    const known = this.#subscribers.get(id);
    if (!known || known.consent !== 'PENDING_CONFIRMATION' || isSuppressed(known)) return;
    Object.assign(known, { consent: 'SUBSCRIBED', optedInAt: this.#now });
  }

  /** The link back, on the page of an unsubscription. */
  back(id: number): void {
    const concerned = this.#concerned(id, () => false);
    if (!concerned || Array.isArray(concerned)) return;
    concerned.optedInAt = this.#now;
    if (concerned.consent === 'UNSUBSCRIBED' && !isSuppressed(concerned)) concerned.consent = 'SUBSCRIBED';
  }

  /** A no is undone by a later yes alone. @param at the instant of the choice, which may be applied later */
  leave(id: number, at: Instant): void {
    const isOverruled = ({ optedInAt }: { optedInAt: Instant }) => at < optedInAt;
    const concerned = this.#concerned(id, isOverruled);
    if (Array.isArray(concerned)) this.#mark(concerned, { unsubscribed: true });
    else if (concerned && !isOverruled(concerned)) concerned.consent = 'UNSUBSCRIBED';
  }

  /** A complaint is undone by a reactivation alone. */
  complain({ id }: Mail, at: Instant): void {
    const isOverruled = ({ reactivatedAt }: { reactivatedAt: Instant }) => at < reactivatedAt;
    const concerned = this.#concerned(id, isOverruled);
    if (Array.isArray(concerned)) this.#mark(concerned, { complained: true });
    else if (concerned && !isOverruled(concerned)) concerned.complained = true;
  }

  // What mail servers say. It is of the mailbox, so it concerns the subscriber who has the address now.

  bounceHard({ address }: Mail, at: Instant): void {
    const holder = this.holder(address);
    if (at < Math.max(holder ? vouchedSince(holder) : never, this.#reactivated.get(address) ?? never)) return;
    if (holder) holder.dead = true;
    else this.#mark([address], { dead: true });
  }

  /** Counts for the subscriber who was written to, at the address that it still has. */
  bounceSoft({ id, address }: Mail, at: Instant): void {
    const known = this.#subscribers.get(id);
    if (!known || known.address !== address || at < vouchedSince(known)) return;
    known.softBounces++;
    // An unsubscribed one is not judged before the next bounce after its return.
    if (known.softBounces >= softBouncesMax && known.consent !== 'UNSUBSCRIBED') known.dead = true;
  }

  /** A new subscriber: marks of the address hold, and an unsubscription holds unless the call says otherwise. */
  #arrive(address: string, consent: Consent, resubscribe: boolean): void {
    const { unsubscribed, complained, dead } = this.#marks.get(address) ?? unmarked;
    const subscriber = {
      id: ++this.#ids,
      address,
      addressSince: this.#now,
      complained,
      dead,
      softBounces: 0,
      consent: unsubscribed && !resubscribe ? 'UNSUBSCRIBED' : consent,
      optedInAt: resubscribe ? this.#now : never,
      reactivatedAt: never,
    } satisfies Subscriber;
    this.#subscribers.set(subscriber.id, subscriber);
    this.#succeed(subscriber);
  }

  /** Who comes with an address succeeds all who had it and have no successor that is still there. */
  #succeed({ id, address }: Subscriber): void {
    for (const former of this.#former.values()) {
      if (former.address !== address) continue;
      if (former.successor === null || !this.#subscribers.has(former.successor)) former.successor = id;
    }
  }

  /** A subscriber's suppression stays with the address that it leaves. */
  #leave(subscriber: Subscriber): void {
    const { address, complained, dead, consent } = subscriber;
    this.#mark([address], { complained, dead });
    this.#marks.get(address)!.unsubscribed = consent === 'UNSUBSCRIBED';
    this.#reactivated.set(address, Math.max(this.#reactivated.get(address) ?? never, vouchedSince(subscriber)));
  }

  #mark(addresses: readonly string[], change: Partial<Mark>): void {
    for (const address of addresses) {
      const mark = this.#marks.get(address) ?? { ...unmarked };
      this.#marks.set(address, mark);
      mark.unsubscribed ||= change.unsubscribed ?? false;
      mark.complained ||= change.complained ?? false;
      mark.dead ||= change.dead ?? false;
    }
  }

  /**
   * The subscriber whom an answer to mail of `id` concerns: itself, or the successor of a deleted one; if that is gone
   * too, the subscriber who has the address, or else the successor's own successor. Where there is none, the addresses to
   * mark. Null where a yes of before a deletion overrules the answer.
   */
  #concerned(id: number, isOverruled: (former: Former) => boolean): Subscriber | string[] | null {
    const addresses: string[] = [];
    for (let next: number | null = id; next !== null;) {
      const known = this.#subscribers.get(next);
      if (known) return known;
      const former: Former = this.#former.get(next)!;
      if (isOverruled(former)) return null;
      const successor = this.#subscribers.get(former.successor ?? -1) ?? this.holder(former.address);
      if (successor) return successor;
      addresses.push(former.address);
      next = former.successor;
    }
    return addresses;
  }
}

const unmarked: Mark = { unsubscribed: false, complained: false, dead: false };

const isSuppressed = ({ complained, dead }: Pick<Mark, 'complained' | 'dead'>): boolean => complained || dead;

/** A reactivation vouches for the mailbox that the subscriber had then. */
const vouchedSince = ({ reactivatedAt, addressSince }: Subscriber): Instant =>
  reactivatedAt >= addressSince ? reactivatedAt : never;
