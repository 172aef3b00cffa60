import { IdleBackoff, WakeSignal } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import type { subscriberRequests } from '#contracts';
import { createdAtOf, wireId } from '#database';
import { emailKey, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { laneOf } from '#events';
import type { Logger } from '#observability';
import type { CallContexts } from '#service-host';
import { RemoteFailure } from '#tool-call';
import type { SendingMeter } from '../../metrics/send-metrics.service.js';
import type { HandOverReport } from '../../message/attempt-report.js';
import { giveUpAfterSeconds } from '../../message/retry-schedule.js';
import type { Parcel } from '../../message/message.js';
import { settleHandOver } from '../settle-attempt.service.js';
import type { Belonging } from '../settle-attempt.service.js';
import { receiverOf } from '../relay/destination-throttle.js';
import type { Lane } from '../send-queue.js';
import type { Relay, Turn } from '../relay/connection-pool.worker.js';
import type { CampaignMailSource } from '../render/render-plan.service.js';
import { skipReasonOf } from '../skip-reason.js';
import type { SkipReason } from '../skip-reason.js';
import { mustArrive } from './due-message.js';
import type { DueMark, DueMessage, DueSettlement, MessageKind } from './due-message.js';
import type { DueRepository, StoredDue } from './due-message.repository.js';

const claimMax = 50;
/** However many wait for their turn at a crowded domain. */
const readyMax = 4 * claimMax;
const idleMs = 500;
/** Messages are queued by calls of this process; what others left, and what was put off, is looked for so often. */
const restMs = 5_000;
const recipientDeadlineMs = 10_000;
/** A recipient whose data cannot be asked for at the moment is tried again soon. */
const unansweredWait = 15;
const withheld: HandOverReport = {
  kind: 'withheld',
  reason: 'the message was held too long before the relay was asked',
};

export interface DueLaneParts {
  contexts: Pick<CallContexts, 'onCommit'>;
  due: DueRepository;
  mails: CampaignMailSource;
  subscribers: Client<typeof subscriberRequests>;
  relay: Relay;
  meter: SendingMeter;
  leaseSeconds: number;
  accepted: 'SENT' | 'DELIVERED';
  wakeOutbox: () => void;
  log: Logger;
}

/** A claimed message ready to be marked and handed over. */
interface Ready {
  mark: DueMark;
  parcel: Parcel;
  send: Belonging;
}

/**
 * Hands over messages that are rows already: what was put off and is due again. Each is claimed, made anew with the
 * person's data of now, marked, and only then put on the wire.
 */
export class DueLane {
  readonly #signal = new WakeSignal();
  readonly #lull: IdleBackoff;
  readonly #underWay = new Map<string, DueMessage>();
  #making = 0;
  #ready: Ready[] = [];
  /** Of these, messages to domains that have as many under way as they may. */
  #crowded = 0;
  /** Results of hand-overs, and ends of claimed messages that are not handed over. */
  #handedOver: DueSettlement[] = [];
  /** Of these, results from the relay. */
  #unrecorded = 0;
  #claimed: DueSettlement[] = [];
  #renewedAt = 0;
  /** Whether there may be more that is due than was claimed; then organizations have their turns. */
  #more = false;
  /** Who had the last turn, and whether anybody of this round had something. */
  #round: { after: string | null; found: boolean } = { after: null, found: false };
  /** Whether nothing is claimed because no connection is free. */
  #turnless = false;
  #stopping = false;
  #looping: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: DueLaneParts,
    private readonly lane: Lane,
    private readonly kinds: readonly MessageKind[],
  ) {
    this.#lull = new IdleBackoff(parts.contexts, { minMs: idleMs, maxMs: restMs }, () => this.#signal.notify());
  }

  start(): void {
    // Beside a campaign connections come free a thousand times a second.
    const stopListening = this.parts.relay.onFree(() => {
      if (this.#ready.length > 0 || this.#turnless) this.#signal.notify();
    });
    this.#looping = this.#loop().finally(stopListening);
  }

  /** Lets what is under way finish; what is claimed comes back by itself when its lease ends. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#signal.notify();
    await this.#looping;
  }

  async #loop(): Promise<void> {
    while (!this.#stopping || this.#underWay.size + this.#handedOver.length > 0) {
      try {
        if (await this.#step()) continue;
      } catch (error) {
        this.parts.log.warn({ err: error }, 'due messages could not be worked on');
      }
      await this.#signal.wait(this.#isIdle ? this.#lull.remainingMs || idleMs : idleMs);
    }
  }

  get #isIdle(): boolean {
    return (
      this.#underWay.size + this.#making + this.#ready.length + this.#handedOver.length + this.#claimed.length === 0
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
    const handedOver = this.#handedOver;
    const claimed = this.#claimed;
    const unrecorded = this.#unrecorded;
    if (handedOver.length + claimed.length === 0) return false;
    this.#handedOver = [];
    this.#claimed = [];
    try {
      if (claimed.length > 0) await this.parts.due.settle('claimed', claimed);
      if (handedOver.length === 0) return true;
      const settled = await this.parts.due.settle('handedOver', handedOver);
      const late = handedOver.filter(({ message, state }) => state !== 'IN_DOUBT' && !settled.has(message.messageId));
      if (late.length > 0) await this.parts.due.settle('doubted', late);
    } catch (error) {
      // Recording twice changes nothing: a settled message is in none of the states it is looked for in.
      this.#handedOver.push(...handedOver);
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
    const { due, relay } = this.parts;
    const held = this.#ready.length + this.#making;
    const room = Math.min(Math.min(claimMax, relay.quota(this.lane)) - held + this.#crowded, readyMax - held);
    if (room <= 0 || (!this.#more && this.#lull.remainingMs > 0)) return false;
    this.#turnless = !relay.mayTake(this.lane);
    if (this.#turnless) return false;
    let messages: DueMessage[] = [];
    await this.#lull.poll(async () => (messages = await this.#claimUpTo(room)).length);
    const taken = messages.filter((message) => !this.#isPutOff(message, message.email));
    const stored = due.listStored(taken.filter(({ sendId }) => sendId === null));
    for (const message of taken) {
      this.#making += 1;
      void this.#make(message, stored)
        .catch((error: unknown) => this.#end(message, error))
        .finally(() => {
          this.#making -= 1;
          this.#signal.notify();
        });
    }
    return this.#claimed.length > 0 || (this.#more && messages.length === 0);
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

  /** Puts a message off whose domain takes none at the moment, unless it would be too old then: it has one more try. */
  #isPutOff(message: DueMessage, to: string): boolean {
    const hold = message.simulated ? null : this.parts.relay.receivers.holdOf(receiverOf(to), Date.now());
    if (!hold || ageOf(message) + hold.wait > giveUpAfterSeconds) return false;
    const { wait, reason } = hold;
    this.#claimed.push(this.#ended(message, { state: 'DEFERRED', skipReason: null, response: reason, wait }));
    return true;
  }

  async #make(message: DueMessage, stored: Promise<Map<string, StoredDue>>): Promise<void> {
    const { organizationId, sendId, subscriberId, email } = message;
    if (sendId === null) return this.#take(message, (await stored).get(message.messageId));
    const mail = await this.parts.mails.get(organizationId, sendId);
    const { recipient } = await this.parts.subscribers.get_recipient(
      { subscriberId: wireId('sub', subscriberId!), showIf: mail.showIf },
      serviceCaller(organizationId, randomUUID(), recipientDeadlineMs),
    );
    const reason = skipReasonOf(recipient);
    if (reason) return this.#skip(message, reason, null);
    const parsed = parseAddress(email);
    if (!parsed.ok) return this.#skip(message, 'INVALID_ADDRESS', `The address ${parsed.reason}`);
    try {
      const addressee = {
        messageId: message.messageId,
        subscriberId: subscriberId!,
        address: parsed.address,
        recipient,
      };
      const { parcel, subject } = await mail.make(addressee, new Date(Date.now()));
      const mark = { message, subject, mailbox: guarded(message, parsed.address) };
      this.#ready.push({ mark, parcel, send: mail.send });
    } catch (error) {
      this.#skip(message, 'RENDER_FAILED', (error as Error).message);
    }
  }

  /** A message that was made when it was accepted. */
  #take(message: DueMessage, stored: StoredDue | undefined): void {
    const { organizationId, email } = message;
    const parsed = parseAddress(email);
    if (!stored || !parsed.ok) return this.#skip(message, 'RENDER_FAILED', 'The content of the message is gone');
    const { subject, counted, raw, ...envelope } = stored;
    const parcel = { ...envelope, raw: raw.toString('latin1') };
    const mark = { message, subject, mailbox: counted ? null : guarded(message, parsed.address) };
    this.#ready.push({ mark, parcel, send: { organizationId, campaignId: null, campaignName: null } });
  }

  /** A claimed message whose data could not be had. */
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
    let marked: Awaited<ReturnType<DueRepository['updateHandingOver']>>;
    try {
      marked = await due.updateHandingOver(reserved.map(({ ready }) => ready.mark));
    } catch (error) {
      for (const { ready, turn } of reserved) {
        if (turn) relay.give(turn, null);
        // Marked perhaps, on the wire never.
        this.#handedOver.push(this.#settle(ready, withheld));
      }
      throw error;
    }
    this.parts.meter.guarded(this.lane, marked.refused);
    for (const { ready, turn } of reserved) {
      if (marked.started.has(ready.mark.message.messageId)) void this.#handOver(ready, turn, startedAt);
      else if (turn) relay.give(turn, null);
    }
    return true;
  }

  /** The first messages for which there is a connection; one a mailbox, since the guard counts a statement once. */
  #reserve(): { ready: Ready; turn: Turn | null }[] {
    const { relay } = this.parts;
    const reserved: { ready: Ready; turn: Turn | null }[] = [];
    const mailboxes = new Set<string>();
    let free = true;
    this.#crowded = 0;
    this.#ready = this.#ready.filter((ready) => {
      const { mark, parcel } = ready;
      const { simulated, organizationId } = mark.message;
      const mailbox = mark.mailbox && `${organizationId} ${mark.mailbox}`;
      if (!free || (mailbox && mailboxes.has(mailbox))) return true;
      if (this.#isPutOff(mark.message, parcel.to)) return false;
      if (!simulated && !relay.receivers.hasRoom(receiverOf(parcel.to))) {
        this.#crowded += 1;
        return true;
      }
      const turn = simulated ? null : relay.take(this.lane, parcel.to);
      free = simulated || turn !== null;
      if (!free) return true;
      if (mailbox) mailboxes.add(mailbox);
      reserved.push({ ready, turn });
      return false;
    });
    return reserved;
  }

  async #handOver(ready: Ready, turn: Turn | null, markedAt: number): Promise<void> {
    const { message } = ready.mark;
    this.#underWay.set(message.messageId, message);
    const late = performance.now() - markedAt > this.parts.leaseSeconds * 1000;
    let report: HandOverReport = { kind: 'simulated' };
    if (late) report = withheld;
    else if (turn) report = await this.parts.relay.handOver(turn, ready.parcel);
    if (turn) this.parts.relay.give(turn, late ? null : report);
    if (turn && !late) this.#unrecorded += 1;
    this.#underWay.delete(message.messageId);
    this.#handedOver.push(this.#settle(ready, report));
    this.#signal.notify();
  }

  #settle({ mark: { message, subject }, send }: Ready, report: HandOverReport): DueSettlement {
    const handedOver = { ...message, subject, attempts: message.attempts + 1, age: ageOf(message) };
    const facts = { send, accepted: this.parts.accepted, mustArrive: mustArrive(message.kind) };
    const settled = settleHandOver(report, handedOver, facts);
    const { organizationId, sendId, pageNo, messageId } = message;
    const lane = laneOf(organizationId, sendId === null ? messageId : `${sendId}/${pageNo}`);
    return { ...settled, message, skipReason: null, lane };
  }
}

/** Seconds since a message was made. */
const ageOf = ({ messageId }: DueMessage): number => (Date.now() - createdAtOf(messageId).getTime()) / 1000;

/** Whom the guard counts: what was handed over once was counted then, a test when it was accepted. */
const guarded = ({ kind, simulated, attempts }: DueMessage, address: EmailAddress): string | null =>
  simulated || attempts > 0 || kind === 'TEST' ? null : emailKey(address);
