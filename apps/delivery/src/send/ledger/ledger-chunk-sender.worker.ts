import { setTimeout as sleep } from 'node:timers/promises';
import { WakeSignal } from '#concurrency';
import { messageIdAt, uuidOf } from '#database';
import { laneOf } from '#events';
import type { HashMailbox } from '../../message/address-hash.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import { AudienceGone, blockedBy } from '../chunk/chunk-run.service.js';
import type { ChunkEnd, ChunkRunDependencies } from '../chunk/chunk-run.service.js';
import { listRecipients } from '../chunk/chunk-recipients.client.js';
import type { LeasedChunk, Person } from '../chunk/chunk.js';
import { dropMessage, MessagePrefetcher } from '../chunk/message-prefetcher.service.js';
import type { Ready } from '../chunk/message-prefetcher.service.js';
import { aheadFactor, prefetchBelow, reserveConnections } from '../chunk/reserve-connections.service.js';
import type { Reserved } from '../chunk/reserve-connections.service.js';
import type { ChunkJournal } from '../journal/attempt-journal.service.js';
import { monotonicMs } from '../relay/wire-protocol.js';
import type { CampaignRenderer, RenderRecipient } from '../render/campaign-renderer.js';
import type { SendState } from '../send.js';
import { admitPositions } from './admit-positions.js';
import type { PositionedPerson } from './admit-positions.js';
import type { GroupCommitter } from './group-committer.worker.js';
import { pendingMark } from './ledger-chunk.js';
import type { ChunkCommit, ChunkCommitted, ChunkRecipient, LedgerMark, Outcome } from './ledger-chunk.js';
import { lateOutcomes, takeOverChunk } from './take-over-chunk.service.js';
import type { TakeOverDependencies } from './take-over-chunk.service.js';
import { eventsOf, outcomeOfAttempt, outcomeOfBackoff, outcomeOfSkip } from './settle-outcome.service.js';
import type { OutcomeContext } from './settle-outcome.service.js';
import { subjectParts, subjectValues } from './subject-values.js';
import type { SubjectSegment } from './subject-values.js';

/** As the subscriber service cuts audiences. */
const chunkSize = 500;
/** Outcomes of one chunk in one commit, so that its event and its locks stay small. */
const outcomesMax = 100;
const retryMs = 250;
/** Longest time until a chunk that waits for its relay learns that its send was paused or stopped. */
const stopSeenMs = 2_000;
/** Two cores that sign send some 15 messages in it; a relay that answers slowly loses little by it. */
const gatherMs = 25;
/** With so large a share of the connections to fill, it does not: the others are busy while these are marked. */
const worthwhileShare = 0.4;
const notAttempted: AttemptReport = {
  kind: 'withheld',
  reason: 'the chunk was held too long before the delivery attempt',
};

export interface LedgerSenderDependencies extends ChunkRunDependencies, TakeOverDependencies {
  committer: GroupCommitter;
  hashMailbox: HashMailbox;
}

/** A message with a connection, about to be marked. */
interface Marking extends Reserved {
  mark: LedgerMark;
}

/** A message that was marked and will not be put on the wire. */
interface Withdrawn {
  marking: Marking;
  relayId: number;
}

/**
 * Sends a chunk of layout 1: renders messages ahead, commits an attempt mark per free connection together with earlier
 * outcomes, and attempts the messages whose marks the commit returned, and no others. docs/internals/ledger.md has its
 * states.
 */
export class LedgerChunkSender {
  readonly #signal = new WakeSignal();
  readonly #lane: number;
  readonly #sendUuid: string;
  #mail: CampaignRenderer | null = null;
  #subjectParts: string[] = [''];
  #maker: MessagePrefetcher | null = null;
  #journal: ChunkJournal | null = null;
  /** Whether the ledger has all that the journal says. */
  #isRecorded = false;
  #recipients: ChunkRecipient[] = [];
  readonly #bySubscriber = new Map<string, ChunkRecipient>();
  #loadedAt = 0;
  #heldAt = performance.now();
  /** By relay: how many commits of this lease there were. */
  readonly #steps = new Map<number, number>();
  /** Outcomes of attempts: they are recorded however the chunk is left. */
  #attempted: Outcome[] = [];
  /** Outcomes of messages that were not attempted: the next owner of the chunk finds them again. */
  #unattempted: Outcome[] = [];
  #withdrawn: Withdrawn[] = [];
  /** The open marks by position, as the guard counts them. */
  readonly #pending = new Map<number, string>();
  /** Ready messages whose domains have as many messages in progress as their limit allows. */
  #atLimit = 0;
  #underWay = 0;
  #unrecorded = 0;
  #reportedLow = false;
  /** Why no message can be rendered here at the moment. */
  #stuck: string | null = null;
  /** `lost`: another process holds the chunk. `release`: it is released unchanged. `stop`: the rest is skipped. */
  #leave: 'stay' | 'lost' | 'release' | 'stop' | 'done' = 'stay';

  constructor(
    private readonly parts: LedgerSenderDependencies,
    readonly page: LeasedChunk,
    private readonly onLow: () => void,
  ) {
    this.#lane = laneOf(page.organizationId, `${page.sendId}/${page.pageNo}`);
    this.#sendUuid = uuidOf('send', page.sendId)!;
    if (page.sendState === 'STOPPED') this.#leave = 'stop';
  }

  get remaining(): number {
    if (this.#leave !== 'stay') return 0;
    return this.#maker?.remaining ?? chunkSize;
  }

  /** Stops marking; messages in progress finish, and the chunk is released. */
  halt(): void {
    if (this.#leave === 'stay') this.#leave = 'release';
    this.#signal.notify();
  }

  /** Works until the chunk is done, released or lost; rejects for defects only. */
  async run(): Promise<ChunkEnd> {
    const stopListening = this.parts.relay.onFree(() => this.#signal.notify());
    try {
      const maker = await this.#load();
      // A signal that ends #gather is consumed by it, so #step checks everything again before the chunk sleeps.
      for (await this.#gather(maker); !this.#isOver(maker); await this.#gather(maker)) await this.#step(maker);
      this.#isRecorded = !this.parts.committer.isStopped;
      if (this.#leave === 'done') return { kind: 'done' };
      if (this.#leave === 'release') await this.parts.pages.release(this.page);
      return this.#stuck === null ? { kind: 'left' } : { kind: 'blocked', reason: this.#stuck, final: false };
    } catch (error) {
      this.#leave = 'lost';
      while (this.#underWay > 0) await this.#signal.wait(this.#renewEveryMs);
      await this.parts.pages.release(this.page).catch(() => undefined);
      const blocked = blockedBy(error);
      if (!blocked) throw error;
      return { kind: 'blocked', ...blocked };
    } finally {
      this.#maker?.giveUp();
      this.#journal?.end(this.#isRecorded);
      stopListening();
      this.parts.relay.recorded('campaign', this.#unrecorded);
    }
  }

  async #load(): Promise<MessagePrefetcher> {
    const { organizationId, sendId, pageNo, fence } = this.page;
    // A skipped recipient needs no signing key, which may have been deleted.
    if (this.#leave === 'stay') this.#mail = await this.parts.mails.get(organizationId, sendId);
    const listed = await listRecipients(this.parts.subscribers, this.page, this.#mail);
    if (listed.length === 0) throw new AudienceGone();
    const { recipients, people, skipped } = admitPositions(listed, {
      organizationId,
      messageIdAt: (position) => messageIdAt(this.#sendUuid, pageNo, position),
      uuidOf: (id) => uuidOf('sub', id)!,
      hashMailbox: this.parts.hashMailbox,
    });
    this.#recipients = recipients;
    for (const recipient of recipients) this.#bySubscriber.set(recipient.subscriberId, recipient);
    this.#subjectParts = subjectParts(
      (this.#mail?.send.template as { subject?: SubjectSegment[] } | undefined)?.subject ?? [],
    );
    // Only an earlier owner can have left marks and rows.
    const settled = fence === '1' ? new Set<number>() : await this.#takeOver();
    const isOpen = ({ at }: { at: ChunkRecipient }) => !settled.has(at.position);
    this.#unattempted = skipped.filter(isOpen).map(({ at, reason, detail }) => outcomeOfSkip(at, reason, detail));
    this.#loadedAt = performance.now();
    this.#journal = this.parts.journal.begin(this.page);
    return (this.#maker = this.#prefetcher(people.filter(isOpen)));
  }

  #prefetcher(people: readonly PositionedPerson[]): MessagePrefetcher {
    return new MessagePrefetcher(
      {
        make: (recipients: readonly RenderRecipient[]) =>
          this.parts.renderPool.make(this.#mail!, recipients, this.parts.relay.signs),
        made: () => this.#signal.notify(),
        isFull: () => this.parts.renderPool.isFull,
        failed: (person: Person, reason: string) =>
          this.#unattempted.push(outcomeOfSkip(this.#recipientOf(person), 'RENDER_FAILED', reason.slice(0, 500))),
        stuck: (reason: string) => {
          this.#stuck = `Messages cannot be rendered here (${reason}). It is tried again.`;
          this.halt();
        },
      },
      people,
    );
  }

  #recipientOf({ subscriberId }: { subscriberId: string }): ChunkRecipient {
    return this.#bySubscriber.get(subscriberId)!;
  }

  /** @returns the positions with a row; marks of earlier leases without an outcome are in doubt from now on */
  async #takeOver(): Promise<ReadonlySet<number>> {
    const settled = await takeOverChunk(this.parts, this.page, {
      recipients: this.#recipients,
      subject: this.#subjectParts.length === 1 ? this.#subjectParts[0]!.trim() : '',
      context: this.#context,
      lane: this.#lane,
    });
    if (settled) return settled;
    this.#leave = 'lost';
    return new Set(this.#recipients.map(({ position }) => position));
  }

  #isOver(maker: MessagePrefetcher): boolean {
    if (this.#leave === 'done') return true;
    if (this.#leave === 'stay' || this.#leave === 'stop') return false;
    return this.#underWay + this.#attempted.length + this.#withdrawn.length + maker.renderPool === 0;
  }

  async #step(maker: MessagePrefetcher): Promise<void> {
    this.#prepare(maker);
    const reserved = this.#reserve(maker);
    // The threads render on while the marks are committed.
    if (this.#leave === 'stay') this.#makeAhead(maker);
    const outcomes = [...this.#attempted.splice(0, outcomesMax)];
    outcomes.push(...this.#unattempted.splice(0, outcomesMax - outcomes.length));
    const withdrawn = this.#withdrawn.splice(0);
    for (const { recipient } of outcomes) this.#pending.delete(recipient.position);
    for (const { marking } of withdrawn) this.#pending.delete(marking.mark.recipient.position);
    const isWorking = this.#leave === 'stay' || this.#leave === 'stop';
    const left = this.#attempted.length + this.#unattempted.length + withdrawn.length + reserved.length;
    const isLast = isWorking && left + maker.remaining + this.#underWay === 0;
    if (reserved.length + outcomes.length + withdrawn.length > 0 || isLast) {
      return await this.#commit(maker, { reserved, outcomes, withdrawn, isLast });
    }
    await this.#signal.wait(this.#renewEveryMs);
    if (performance.now() - this.#heldAt > this.#renewEveryMs) await this.#renew(maker);
  }

  /**
   * Collects results for a moment so that they share a commit, which costs nearly the same for one message as for many.
   */
  async #gather(maker: MessagePrefetcher): Promise<void> {
    const end = performance.now() + gatherMs;
    for (let left = gatherMs; left > 0 && !this.#isWorthwhile(maker); left = end - performance.now()) {
      await this.#signal.wait(left);
    }
  }

  #isWorthwhile({ ready, renderPool }: MessagePrefetcher): boolean {
    const quota = this.parts.relay.quota('campaign');
    if (this.#underWay + renderPool === 0) return true;
    return Math.min(ready, quota - this.#underWay) >= quota * worthwhileShare;
  }

  get #renewEveryMs(): number {
    return Math.min(stopSeenMs, (this.parts.leaseSeconds * 1000) / 3);
  }

  #prepare(maker: MessagePrefetcher): void {
    // A subscriber who unsubscribes while a chunk waits for the relay must not get it, so the chunk is fetched again.
    const stale = performance.now() - this.#loadedAt > this.parts.recipientTtlSeconds * 1000;
    if (this.#leave === 'stay' && stale && maker.remaining > 0) this.#leave = 'release';
    if (this.#leave === 'stay') {
      // No other relay can come into use before the connections are reserved, in the same turn of the event loop.
      maker.fit(this.parts.relay.signs);
      this.#makeAhead(maker);
    } else {
      const givenUp = maker.giveUp().map((person) => this.#recipientOf(person));
      if (this.#leave === 'stop') this.#skipRest(givenUp);
      else this.#unattempted = [];
    }
    if (!this.#reportedLow && this.remaining < prefetchBelow(this.parts.relay)) {
      this.#reportedLow = true;
      this.onLow();
    }
  }

  #makeAhead(maker: MessagePrefetcher): void {
    maker.makeAhead(aheadFactor * this.parts.relay.quota('campaign') + this.#atLimit);
  }

  /** A message that was to be deferred has no row yet, so that it is skipped like those not rendered yet. */
  #skipRest(givenUp: readonly ChunkRecipient[]): void {
    const deferred = this.#unattempted.filter(({ state }) => state === 'DEFERRED').map(({ recipient }) => recipient);
    this.#unattempted = this.#unattempted.filter(({ state }) => state !== 'DEFERRED');
    this.#unattempted.push(...[...deferred, ...givenUp].map((recipient) => outcomeOfSkip(recipient, 'STOPPED', null)));
  }

  #reserve(maker: MessagePrefetcher): Marking[] {
    if (this.#leave !== 'stay') return [];
    const { reserved, deferred, atLimit } = reserveConnections(maker, this.parts.relay, this.#unrecorded);
    this.#unattempted.push(...deferred.map(({ mark, ...backoff }) => outcomeOfBackoff(this.#markOf(mark), backoff)));
    this.#atLimit = atLimit;
    return reserved.map((one) => ({ ...one, mark: this.#markOf(one.ready.mark) }));
  }

  #markOf({ subscriberId, mailbox, subject }: Ready['mark']): LedgerMark {
    const recipient = this.#bySubscriber.get(subscriberId)!;
    return { recipient, mailbox, subjectValues: subjectValues(this.#subjectParts, subject) };
  }

  get #context(): OutcomeContext {
    const { organizationId, sendId, campaignId } = this.page;
    const campaignName = this.#mail?.send.campaignName ?? '';
    return { send: { organizationId, sendId, campaignId, campaignName }, accepted: this.parts.accepted };
  }

  async #commit(
    maker: MessagePrefetcher,
    group: { reserved: Marking[]; outcomes: Outcome[]; withdrawn: Withdrawn[]; isLast: boolean },
  ): Promise<void> {
    const { reserved, outcomes, withdrawn, isLast } = group;
    const relayId = this.parts.relay.id;
    const unrecorded = this.#unrecorded;
    const askedAt = performance.now();
    const committed = await this.#committed(reserved, {
      page: this.page,
      relayId,
      step: this.#steps.get(relayId) ?? 0,
      outcomes,
      marks: reserved.map(({ mark }) => mark),
      withdrawn: withdrawn.map(({ marking }) => marking.mark.recipient.position),
      pending: [...this.#pending.values()],
      events: eventsOf(outcomes, this.#context, this.page.pageNo),
      lane: this.#lane,
      size: isLast ? this.#recipients.length : null,
    });
    this.#heldAt = askedAt;
    this.#unrecorded -= unrecorded;
    this.parts.relay.recorded('campaign', unrecorded);
    if (committed.settled) {
      this.#steps.set(relayId, (this.#steps.get(relayId) ?? 0) + 1);
      for (const { marking } of withdrawn) maker.putBack(marking.ready);
      if (outcomes.length > 0) this.parts.wakeOutbox();
    }
    this.#obey(committed, { isLast, left: maker.remaining + reserved.length + this.#unattempted.length });
    this.#start(maker, { reserved, committed, relayId, askedAt });
    if (!committed.settled) await this.#settleLate(outcomes, withdrawn);
  }

  /** While PostgreSQL is away, the connections of messages that are not marked yet serve others. */
  async #committed(reserved: Marking[], commit: ChunkCommit): Promise<ChunkCommitted> {
    return await this.parts.committer.commit(commit, () => {
      for (const one of reserved) {
        if (one.turn) this.parts.relay.give(one.turn, null);
        one.turn = null;
      }
    });
  }

  /** @param left how many are not on the wire; if none are left, the chunk ends with its results, paused or not */
  #obey({ held, settled, sendState }: ChunkCommitted, { isLast, left }: { isLast: boolean; left: number }): void {
    if (!held || !settled) this.#leave = 'lost';
    else if (isLast) this.#leave = 'done';
    else this.#follow(sendState, left);
  }

  #follow(sendState: SendState, left: number): void {
    if (this.#leave !== 'stay') return;
    if (sendState === 'STOPPED') this.#leave = 'stop';
    else if (sendState !== 'RUNNING' && left > 0) this.#leave = 'release';
  }

  #start(
    maker: MessagePrefetcher,
    {
      reserved,
      committed,
      relayId,
      askedAt,
    }: { reserved: Marking[]; committed: ChunkCommitted; relayId: number; askedAt: number },
  ): void {
    this.parts.meter.guarded('campaign', committed.refused.size);
    this.#noteSubjects(reserved.filter(({ mark }) => committed.started.has(mark.recipient.position)));
    for (const marking of reserved) {
      const { recipient, mailbox } = marking.mark;
      // Its connection was given back before the answer came.
      const hasLostTurn = marking.turn === null && mailbox !== null;
      if (committed.started.has(recipient.position)) {
        if (mailbox !== null) this.#pending.set(recipient.position, pendingMark(recipient));
        if (hasLostTurn || !committed.held) this.#withdrawn.push({ marking, relayId });
        else {
          this.#underWay += 1;
          this.#attempt(marking, { relayId, askedAt });
          continue;
        }
      } else if (committed.refused.has(recipient.position)) dropMessage(marking.ready);
      else maker.putBack(marking.ready);
      if (marking.turn) this.parts.relay.give(marking.turn, null);
      marking.turn = null;
    }
  }

  /** Who takes over needs them for the outcomes; a subject without variables is the campaign's. */
  #noteSubjects(started: readonly Marking[]): void {
    if (this.#subjectParts.length === 1) return;
    const noted = started.map(({ mark: { recipient, subjectValues: values }, ready }) => {
      return [recipient.position, { subject: ready.mark.subject, values: values ?? [] }] as const;
    });
    this.#journal?.noteSubjects(new Map(noted));
  }

  /**
   * Puts a marked message on the wire, unless the lease may have ended since and another process may hold the chunk.
   */
  #attempt(marking: Marking, { relayId, askedAt }: { relayId: number; askedAt: number }): void {
    const { ready, turn } = marking;
    const leaseMs = this.parts.leaseSeconds * 1000;
    const leftMs = leaseMs - (performance.now() - askedAt);
    if (leftMs < 0) return this.#withdraw(marking, relayId);
    if (turn) {
      const ended = (report: AttemptReport) => this.#ended(marking, { relayId, report });
      const journal = this.#journal?.entry(marking.mark.recipient.position, relayId) ?? null;
      return this.parts.relay.begin(turn, ready.message, ended, { before: monotonicMs() + leftMs, journal });
    }
    dropMessage(ready);
    this.#ended(marking, { relayId, report: { kind: 'simulated' } });
  }

  /** The message was not begun, so that its mark may be cleared. */
  #withdraw(marking: Marking, relayId: number): void {
    if (marking.turn) this.parts.relay.give(marking.turn, null);
    marking.turn = null;
    this.#underWay -= 1;
    this.#withdrawn.push({ marking, relayId });
    this.#signal.notify();
  }

  #ended(marking: Marking, { relayId, report }: { relayId: number; report: AttemptReport }): void {
    const { mark, ready, turn } = marking;
    if (turn) {
      this.parts.relay.give(turn, report);
      this.#unrecorded += 1;
    }
    marking.turn = null;
    this.#underWay -= 1;
    const at = new Date(Date.now());
    const attempted = { mark, subject: ready.mark.subject, relayId, at };
    this.#attempted.push(outcomeOfAttempt(report, attempted, this.#context));
    this.#signal.notify();
  }

  /** Results whose messages another process has put in doubt meanwhile, or will: they are the truth all the same. */
  async #settleLate(outcomes: readonly Outcome[], withdrawn: readonly Withdrawn[]): Promise<void> {
    const { page } = this;
    for (const { marking } of withdrawn) dropMessage(marking.ready);
    const at = new Date(Date.now());
    const never = withdrawn.map(({ marking: { mark, ready }, relayId }) =>
      outcomeOfAttempt(notAttempted, { mark, subject: ready.mark.subject, relayId, at }, this.#context),
    );
    const late = lateOutcomes([...outcomes, ...never], this.#context, page.pageNo);
    while (late.length > 0) {
      try {
        await this.parts.ledger.settleLate(page, late, this.#lane);
        return this.parts.wakeOutbox();
      } catch (error) {
        this.#warn(error, 'cannot record late results of a chunk');
        if (this.parts.committer.isStopped) return;
        await sleep(retryMs);
      }
    }
  }

  async #renew(maker: MessagePrefetcher): Promise<void> {
    try {
      const sendState = await this.parts.pages.renew(this.page);
      this.#heldAt = performance.now();
      if (sendState === null) this.#leave = 'lost';
      else this.#follow(sendState, maker.remaining + this.#unattempted.length);
    } catch (error) {
      this.#warn(error, 'cannot renew the lease of a chunk');
      await sleep(retryMs);
    }
  }

  #warn(error: unknown, text: string): void {
    const { sendId, pageNo } = this.page;
    this.parts.log.warn({ err: error, send: sendId, page: pageNo }, text);
  }
}
