import { IdleBackoff, WakeSignal } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import type { subscriberRequests } from '#contracts';
import { createdAtOf, wireId } from '#database';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { laneOf } from '#events';
import type { Logger } from '#observability';
import type { CallContexts } from '#service-host';
import { RemoteFailure } from '#tool-call';
import { guardedMailbox } from '../../message/address-hash.js';
import type { GuardedMailbox, HashMailbox } from '../../message/address-hash.js';
import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import { giveUpAfterSeconds } from '../../message/retry-schedule.js';
import type { SmtpMessage } from '../../message/message.js';
import { asRelayWants, signStored } from '../../message/relay-signature.js';
import type { SendingDomainSource } from '../../message/sending-domain.client.js';
import { settleAttempt } from '../settle-attempt.service.js';
import type { MessageContext } from '../settle-attempt.service.js';
import { receiverOf } from '../relay/destination-throttle.js';
import type { SendQueue } from '../../message/send-queue.js';
import type { Relay, ConnectionSlot } from '../relay/connection-pool.worker.js';
import type { RenderPlanService } from '../render/render-plan.service.js';
import { skipReasonOf } from '../skip-reason.js';
import type { SkipReason } from '../skip-reason.js';
import { mustArrive } from './due-message.js';
import type { DueMark, DueMessage, DueMessages, DueSettlement, MessageKind, StoredDue } from './due-message.js';

const claimMax = 50;
/** Bounds memory when one destination is at its connection limit. */
const readyMax = 4 * claimMax;
const idleMs = 500;
/** Calls of this process wake the queue; the poll finds deferred messages and those of other processes. */
const restMs = 5_000;
const requestDeadlineMs = 10_000;
/** Seconds until the next try of a message whose recipient data could not be fetched. */
const unansweredWait = 15;
const notAttempted: AttemptReport = {
  kind: 'withheld',
  reason: 'the message was held too long before the delivery attempt',
};

export interface DueQueueDependencies {
  contexts: Pick<CallContexts, 'onCommit'>;
  due: DueMessages;
  mails: RenderPlanService;
  sendingDomains: SendingDomainSource;
  subscribers: Client<typeof subscriberRequests>;
  relay: Relay;
  meter: SendMetrics;
  hashMailbox: HashMailbox;
  leaseSeconds: number;
  accepted: 'SENT' | 'DELIVERED';
  wakeOutbox: () => void;
  log: Logger;
}

interface Ready {
  mark: DueMark;
  message: SmtpMessage;
  send: MessageContext;
}

/**
 * Sends messages that are rows already, such as deferred ones: each is claimed, rendered again with current data,
 * marked, and only then put on the wire.
 */
export class DueQueue {
  readonly #signal = new WakeSignal();
  readonly #backoff: IdleBackoff;
  readonly #underWay = new Map<string, DueMessage>();
  #rendering = 0;
  #ready: Ready[] = [];
  /** Of these, messages whose domains have as many messages in progress as their limit allows. */
  #atLimit = 0;
  /** Results of delivery attempts, and ends of claimed messages that are not attempted. */
  #attempted: DueSettlement[] = [];
  #unrecorded = 0;
  #claimed: DueSettlement[] = [];
  #renewedAt = 0;
  /** Whether more messages may be due than were claimed; then claims rotate through organizations. */
  #more = false;
  /** The organization served last, and whether any of this round had due messages. */
  #round: { after: string | null; found: boolean } = { after: null, found: false };
  #noFreeConnection = false;
  #stopping = false;
  #looping: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: DueQueueDependencies,
    private readonly lane: SendQueue,
    private readonly kinds: readonly MessageKind[],
  ) {
    this.#backoff = new IdleBackoff(parts.contexts, { minMs: idleMs, maxMs: restMs }, () => this.#signal.notify());
  }

  start(): void {
    // Beside a campaign connections come free a thousand times a second.
    const stopListening = this.parts.relay.onFree(() => {
      if (this.#ready.length > 0 || this.#noFreeConnection) this.#signal.notify();
    });
    this.#looping = this.#loop().finally(stopListening);
  }

  /** Finishes the messages in progress; claimed messages are free when their lease ends. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#signal.notify();
    await this.#looping;
  }

  async #loop(): Promise<void> {
    while (!this.#stopping || this.#underWay.size + this.#attempted.length > 0) {
      try {
        if (await this.#step()) continue;
      } catch (error) {
        this.parts.log.warn({ err: error }, 'cannot process due messages');
      }
      await this.#signal.wait(this.#isIdle ? this.#backoff.remainingMs || idleMs : idleMs);
    }
  }

  get #isIdle(): boolean {
    return (
      this.#underWay.size + this.#rendering + this.#ready.length + this.#attempted.length + this.#claimed.length === 0
    );
  }

  /** @returns whether something was done, so that there may be more */
  async #step(): Promise<boolean> {
    if (await this.#record()) return true;
    await this.#renew();
    if (this.#stopping) return false;
    if (await this.#mark()) return true;
    return await this.#claim();
  }

  async #record(): Promise<boolean> {
    const handedOver = this.#attempted;
    const claimed = this.#claimed;
    const unrecorded = this.#unrecorded;
    if (handedOver.length + claimed.length === 0) return false;
    this.#attempted = [];
    this.#claimed = [];
    try {
      if (claimed.length > 0) await this.parts.due.settle('claimed', claimed);
      if (handedOver.length === 0) return true;
      const settled = await this.parts.due.settle('attempted', handedOver);
      const late = handedOver.filter(({ message, state }) => state !== 'IN_DOUBT' && !settled.has(message.messageId));
      if (late.length > 0) await this.parts.due.settle('doubted', late);
    } catch (error) {
      // Recording twice changes nothing: a settled message is in none of the states it is looked for in.
      this.#attempted.push(...handedOver);
      this.#claimed.push(...claimed);
      throw error;
    }
    this.#unrecorded -= unrecorded;
    this.parts.relay.recorded(this.lane, unrecorded);
    this.parts.wakeOutbox();
    return true;
  }

  async #renew(): Promise<void> {
    const { due, leaseSeconds } = this.parts;
    if (this.#underWay.size === 0 || performance.now() - this.#renewedAt < (leaseSeconds * 1000) / 3) return;
    this.#renewedAt = performance.now();
    await due.renew([...this.#underWay.values()]);
  }

  async #claim(): Promise<boolean> {
    const { relay } = this.parts;
    const held = this.#ready.length + this.#rendering;
    const room = Math.min(Math.min(claimMax, relay.quota(this.lane)) - held + this.#atLimit, readyMax - held);
    if (room <= 0 || (!this.#more && this.#backoff.remainingMs > 0)) return false;
    this.#noFreeConnection = !relay.mayTake(this.lane);
    if (this.#noFreeConnection) return false;
    let messages: DueMessage[] = [];
    await this.#backoff.poll(async () => (messages = await this.#claimUpTo(room)).length);
    const taken = messages.filter((message) => !this.#isDeferred(message, message.email));
    this.#render(taken);
    return this.#claimed.length > 0 || (this.#more && messages.length === 0);
  }

  #render(messages: readonly DueMessage[]): void {
    const stored = this.parts.due.listStored(messages.filter(({ sendId }) => sendId === null));
    for (const message of messages) {
      this.#rendering += 1;
      void this.#make(message, stored)
        .catch((error: unknown) => this.#end(message, error))
        .finally(() => {
          this.#rendering -= 1;
          this.#signal.notify();
        });
    }
  }

  async #claimUpTo(room: number): Promise<DueMessage[]> {
    const { due } = this.parts;
    if (!this.#more) {
      const messages = await due.claim(this.kinds, room);
      this.#more = messages.length === room;
      return messages;
    }
    const { messages, after } = await due.claimInTurn(this.kinds, room, this.#round.after);
    const found = this.#round.found || messages.length > 0;
    this.#more = after !== null || found;
    this.#round = { after, found: after !== null && found };
    return messages;
  }

  /**
   * Defers a message whose domain takes none at the moment, unless it would be too old then: it gets one more attempt.
   */
  #isDeferred(message: DueMessage, to: string): boolean {
    const hold = message.simulated ? null : this.parts.relay.receivers.holdOf(receiverOf(to), performance.now());
    if (!hold || ageOf(message) + hold.wait > giveUpAfterSeconds) return false;
    const { wait, reason } = hold;
    this.#claimed.push(this.#ended(message, { state: 'DEFERRED', skipReason: null, response: reason, wait }));
    return true;
  }

  async #make(message: DueMessage, stored: Promise<Map<string, StoredDue>>): Promise<void> {
    const { organizationId, sendId, subscriberId, email } = message;
    if (sendId === null) return await this.#take(message, (await stored).get(message.messageId));
    const mail = await this.parts.mails.get(organizationId, sendId);
    const { recipient } = await this.parts.subscribers.get_recipient(
      { subscriberId: wireId('sub', subscriberId!), showIf: mail.showIf },
      serviceCaller(organizationId, randomUUID(), requestDeadlineMs),
    );
    const reason = skipReasonOf(recipient);
    if (reason) return this.#skip(message, reason, null);
    const parsed = parseAddress(email);
    if (!parsed.ok) return this.#skip(message, 'INVALID_ADDRESS', `The address ${parsed.reason}`);
    try {
      const renderRecipient = {
        messageId: message.messageId,
        subscriberId: subscriberId!,
        address: parsed.address,
        recipient,
      };
      const { message: smtpMessage, subject } = mail.make(renderRecipient, {
        now: new Date(Date.now()),
        signs: this.parts.relay.signs,
      });
      const mark = { message, subject, mailbox: this.#mailboxOf(message, parsed.address) };
      this.#ready.push({ mark, message: smtpMessage, send: mail.send });
    } catch (error) {
      this.#skip(message, 'RENDER_FAILED', (error as Error).message);
    }
  }

  async #take(message: DueMessage, stored: StoredDue | undefined): Promise<void> {
    const { organizationId, email } = message;
    const parsed = parseAddress(email);
    if (!stored || !parsed.ok) return this.#skip(message, 'RENDER_FAILED', 'The content of the message is gone');
    const { subject, counted, raw: octets, signingDomain = '', ...envelope } = stored;
    const raw =
      asRelayWants(octets.toString('latin1'), this.parts.relay.signs) ??
      (await this.#sign(message, octets.toString('latin1'), signingDomain));
    if (raw === null) return this.#skip(message, 'RENDER_FAILED', `The domain ${signingDomain} has no signing key`);
    const smtpMessage = { ...envelope, raw };
    const mark = { message, subject, mailbox: counted ? null : this.#mailboxOf(message, parsed.address) };
    this.#ready.push({ mark, message: smtpMessage, send: { organizationId, campaignId: null, campaignName: null } });
  }

  /** @returns null for a message that the guard counted already: at its first attempt, or a test at acceptance */
  #mailboxOf({ organizationId, kind, simulated, attempts }: DueMessage, address: EmailAddress): GuardedMailbox | null {
    if (simulated || attempts > 0 || kind === 'TEST') return null;
    return guardedMailbox(organizationId, address, this.parts.hashMailbox);
  }

  /** @returns null when the domain was deleted */
  async #sign({ organizationId, messageId }: DueMessage, raw: string, domain: string): Promise<string | null> {
    const caller = serviceCaller(organizationId, randomUUID(), requestDeadlineMs);
    const key = await this.parts.sendingDomains.findKey(domain, caller);
    return key && (await signStored(raw, key, createdAtOf(messageId)));
  }

  #end(message: DueMessage, error: unknown): void {
    if (error instanceof RemoteFailure && error.failure.code === 'NOT_FOUND')
      return this.#skip(message, 'DELETED', null);
    if (error instanceof RemoteFailure && error.failure.code === 'INVALID_STATE') {
      return this.#skip(message, 'RENDER_FAILED', error.message);
    }
    const response = (error as Error).message;
    this.#claimed.push(this.#ended(message, { state: 'DEFERRED', skipReason: null, response, wait: unansweredWait }));
  }

  #skip(message: DueMessage, skipReason: SkipReason, detail: string | null): void {
    this.#claimed.push(this.#ended(message, { state: 'SKIPPED', skipReason, response: detail ?? '', wait: null }));
  }

  #ended(message: DueMessage, end: Pick<DueSettlement, 'state' | 'skipReason' | 'response' | 'wait'>): DueSettlement {
    const at = new Date(Date.now()).toISOString();
    return { ...end, message, code: null, enhancedCode: null, at, events: '', lane: 0 };
  }

  async #mark(): Promise<boolean> {
    const reserved = this.#reserve();
    if (reserved.length === 0) return this.#claimed.length > 0;
    const { due, relay } = this.parts;
    const startedAt = performance.now();
    let marked: Awaited<ReturnType<DueMessages['updateAttempting']>>;
    try {
      marked = await due.updateAttempting(
        reserved.map(({ ready }) => ready.mark),
        relay.id,
      );
    } catch (error) {
      for (const { ready, turn } of reserved) {
        if (turn) relay.give(turn, null);
        // Marked perhaps, on the wire never.
        this.#attempted.push(this.#settle(ready, notAttempted));
      }
      throw error;
    }
    this.parts.meter.guarded(this.lane, marked.refused);
    for (const { ready, turn } of reserved) {
      if (marked.started.has(ready.mark.message.messageId)) void this.#attempt(ready, turn, startedAt);
      else if (turn) relay.give(turn, null);
    }
    return true;
  }

  /** The first messages for which there is a connection; one a mailbox, since the guard counts a statement once. */
  #reserve(): { ready: Ready; turn: ConnectionSlot | null }[] {
    const { relay } = this.parts;
    const reserved: { ready: Ready; turn: ConnectionSlot | null }[] = [];
    const mailboxes = new Set<string>();
    let free = true;
    this.#atLimit = 0;
    this.#fit();
    this.#ready = this.#ready.filter((ready) => {
      const { mark, message: smtpMessage } = ready;
      const { simulated, organizationId } = mark.message;
      const mailbox = mark.mailbox && `${organizationId} ${mark.mailbox.key}`;
      if (!free || (mailbox && mailboxes.has(mailbox))) return true;
      if (this.#isDeferred(mark.message, smtpMessage.to)) return false;
      if (!simulated && !relay.receivers.hasRoom(receiverOf(smtpMessage.to))) {
        this.#atLimit += 1;
        return true;
      }
      const turn = simulated ? null : relay.take(this.lane, smtpMessage.to);
      free = simulated || turn !== null;
      if (!free) return true;
      if (mailbox) mailboxes.add(mailbox);
      reserved.push({ ready, turn });
      return false;
    });
    return reserved;
  }

  /** Removes our signature from ready messages if the relay in use does not want it; missing ones are made. */
  #fit(): void {
    const unsigned: DueMessage[] = [];
    this.#ready = this.#ready.filter(({ mark, message }) => {
      const raw = asRelayWants(message.raw, this.parts.relay.signs);
      if (raw === null) unsigned.push(mark.message);
      else message.raw = raw;
      return raw !== null;
    });
    if (unsigned.length > 0) this.#render(unsigned);
  }

  async #attempt(ready: Ready, turn: ConnectionSlot | null, markedAt: number): Promise<void> {
    const { message } = ready.mark;
    this.#underWay.set(message.messageId, message);
    const late = performance.now() - markedAt > this.parts.leaseSeconds * 1000;
    let report: AttemptReport = { kind: 'simulated' };
    if (late) report = notAttempted;
    else if (turn) report = await this.parts.relay.attempt(turn, ready.message);
    if (turn) this.parts.relay.give(turn, late ? null : report);
    if (turn && !late) this.#unrecorded += 1;
    this.#underWay.delete(message.messageId);
    this.#attempted.push(this.#settle(ready, report));
    this.#signal.notify();
  }

  #settle({ mark: { message, subject }, send }: Ready, report: AttemptReport): DueSettlement {
    const handedOver = { ...message, subject, attempts: message.attempts + 1, age: ageOf(message) };
    const facts = { send, accepted: this.parts.accepted, mustArrive: mustArrive(message.kind) };
    const settled = settleAttempt(report, handedOver, facts);
    const { organizationId, sendId, pageNo, messageId } = message;
    const lane = laneOf(organizationId, sendId === null ? messageId : `${sendId}/${pageNo}`);
    return { ...settled, message, skipReason: null, lane };
  }
}

const ageOf = ({ messageId }: DueMessage): number => (Date.now() - createdAtOf(messageId).getTime()) / 1000;
