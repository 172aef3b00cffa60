import { WakeSignal } from '#concurrency';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#bus';
import type { subscriberRequests } from '#contracts';
import { newUuid, uuidOf } from '#database';
import { laneOf } from '#events';
import type { Logger } from '#observability';
import { RemoteFailure } from '#tool-call';
import type { DueMessages } from '../due/due-message.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import type { RenderPool } from '../render/render-pool.worker.js';
import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import { settleAttempt } from '../settle-attempt.service.js';
import type { Relay } from '../relay/connection-pool.worker.js';
import { monotonicMs } from '../relay/wire-protocol.js';
import type { RenderRecipient, CampaignRenderer } from '../render/campaign-renderer.js';
import { SendBlocked } from '../render/render-plan.service.js';
import type { RenderPlanService } from '../render/render-plan.service.js';
import { admitRecipients } from './admit-recipients.js';
import type { Skipped, Person } from './admit-recipients.js';
import { dropMessage, MessagePrefetcher } from './message-prefetcher.service.js';
import type { Ready } from './message-prefetcher.service.js';
import type { GroupCommit, LeasedChunk, Mark, Deferral, Settlement } from './chunk.js';
import { listRecipients } from './chunk-recipients.client.js';
import type { ChunkRepository } from './chunk.repository.js';
import { reserveConnections } from './reserve-connections.service.js';
import type { Reserved } from './reserve-connections.service.js';

/** As the subscriber service cuts audiences. */
const pageSize = 500;
const lowAt = 100;
const skipsPerStatement = 100;
const retryMs = 250;
const gatherMs = 12;
/** With so large a share of the connections to fill, it does not. */
const worthwhileShare = 0.8;
const notAttempted: AttemptReport = {
  kind: 'withheld',
  reason: 'the chunk was held too long before the delivery attempt',
};

export interface ChunkSenderDependencies {
  pages: ChunkRepository;
  due: DueMessages;
  mails: RenderPlanService;
  renderPool: RenderPool;
  subscribers: Client<typeof subscriberRequests>;
  relay: Relay;
  meter: SendMetrics;
  leaseSeconds: number;
  /** Seconds for which fetched recipient data may be reused. */
  recipientTtlSeconds: number;
  /** The state after the relay's 250. */
  accepted: 'SENT' | 'DELIVERED';
  wakeOutbox: () => void;
  log: Logger;
}

/** `blocked`: before anything was done, permanently (`final`) or until something changes. */
export type ChunkEnd = { kind: 'done' | 'left' } | { kind: 'blocked'; reason: string; final: boolean };

/**
 * Renders messages ahead, commits an attempt mark per free connection together with earlier results, and attempts the
 * marked messages. A commit with an unknown outcome is settled before new marks are made. No message goes on the wire
 * without a mark.
 */
export class ChunkSender {
  readonly #signal = new WakeSignal();
  readonly #lane: number;
  #mail: CampaignRenderer | null = null;
  #maker: MessagePrefetcher | null = null;
  #loadedAt = 0;
  #heldAt = performance.now();
  #skipped: Skipped[] = [];
  /** Messages to domains that take none at the moment. */
  #deferred: Deferral[] = [];
  /** Ready messages whose domains have as many messages in progress as their limit allows. */
  #atLimit = 0;
  #settlements: Settlement[] = [];
  /**
   * Messages whose mark may be committed, and that are not on the wire. `again`: may be attempted if it was not marked;
   * otherwise another process may have recorded it.
   */
  #unsure: { ready: Ready; again: boolean }[] = [];
  #underWay = 0;
  #unrecorded = 0;
  #reportedLow = false;
  /** Why no message can be rendered here at the moment. */
  #stuck: string | null = null;
  /** `lost`: another process holds the chunk. `release`: it is released unchanged. `stop`: the rest is skipped. */
  #leave: 'stay' | 'lost' | 'release' | 'stop' | 'done' = 'stay';

  constructor(
    private readonly parts: ChunkSenderDependencies,
    readonly page: LeasedChunk,
    private readonly onLow: () => void,
  ) {
    this.#lane = laneOf(page.organizationId, `${page.sendId}/${page.pageNo}`);
    if (page.sendState === 'STOPPED') this.#leave = 'stop';
  }

  get remaining(): number {
    if (this.#leave !== 'stay') return 0;
    return this.#maker?.remaining ?? pageSize;
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
      if (this.#leave === 'done') return { kind: 'done' };
      if (this.#leave === 'release') await this.parts.pages.release(this.page);
      return this.#stuck === null ? { kind: 'left' } : { kind: 'blocked', reason: this.#stuck, final: false };
    } catch (error) {
      await this.parts.pages.release(this.page).catch(() => undefined);
      const blocked = blockedBy(error);
      if (!blocked) throw error;
      return { kind: 'blocked', ...blocked };
    } finally {
      this.#maker?.giveUp();
      stopListening();
      this.parts.relay.recorded('campaign', this.#unrecorded);
    }
  }

  async #load(): Promise<MessagePrefetcher> {
    const { organizationId, sendId, fence } = this.page;
    // A skipped recipient needs no signing key, which may have been deleted.
    if (this.#leave === 'stay') this.#mail = await this.parts.mails.get(organizationId, sendId);
    const recipients = await listRecipients(this.parts.subscribers, this.page, this.#mail);
    if (recipients.length === 0) throw new AudienceGone();
    const stored = (id: string) => uuidOf('sub', id)!;
    const ids = recipients.map(({ subscriberId }) => stored(subscriberId));
    // Only an earlier owner can have left messages.
    const known = fence === '1' ? new Set<string>() : await this.#takeOver(ids);
    const { people, skipped } = admitRecipients(recipients, stored, known);
    this.#skipped = skipped;
    this.#loadedAt = performance.now();
    const maker = {
      make: (recipients: readonly RenderRecipient[]) =>
        this.parts.renderPool.make(this.#mail!, recipients, this.parts.relay.signs),
      made: () => this.#signal.notify(),
      isFull: () => this.parts.renderPool.isFull,
      failed: ({ subscriberId, recipient: { email } }: Person, reason: string) =>
        this.#skipped.push({ subscriberId, email, reason: 'RENDER_FAILED', detail: reason.slice(0, 500) }),
      stuck: (reason: string) => {
        this.#stuck = `Messages cannot be rendered here (${reason}). It is tried again.`;
        this.halt();
      },
    };
    return (this.#maker = new MessagePrefetcher(maker, people));
  }

  /** @returns the recipients with a message of an earlier owner; unfinished attempts of it are in doubt from now on */
  async #takeOver(ids: readonly string[]): Promise<Set<string>> {
    const { known, doubted } = await this.parts.pages.takeOver(this.page, ids);
    this.parts.meter.doubted(doubted);
    return known;
  }

  #isOver(maker: MessagePrefetcher): boolean {
    if (this.#leave === 'done') return true;
    if (this.#leave === 'stay' || this.#leave === 'stop') return false;
    return this.#underWay + this.#settlements.length + this.#unsure.length + maker.renderPool === 0;
  }

  async #step(maker: MessagePrefetcher): Promise<void> {
    this.#prepare(maker);
    const worksOn = this.#leave === 'stay' || this.#leave === 'stop';
    const nothingLeft = worksOn && maker.remaining + this.#underWay === 0;
    try {
      if (this.#skipped.length >= skipsPerStatement || (nothingLeft && this.#skipped.length > 0)) {
        return await this.#writeSkipped();
      }
      if (this.#deferred.length > 0) return await this.#writeDeferred();
      const reserved = this.#reserve(maker);
      const last = nothingLeft && this.#unsure.length === 0;
      if (reserved.length + this.#settlements.length + this.#unsure.length > 0 || last) {
        return await this.#commit(maker, reserved, last);
      }
      // Reserving has just deferred messages, and no signal would wake the chunk for them.
      if (this.#deferred.length > 0) return await this.#writeDeferred();
      await this.#signal.wait(this.#renewEveryMs);
      if (performance.now() - this.#heldAt > this.#renewEveryMs) await this.#renew();
    } catch (error) {
      const { sendId, pageNo } = this.page;
      this.parts.log.warn({ err: error, send: sendId, page: pageNo }, 'cannot record the results of a chunk');
      await sleep(retryMs);
    }
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
    return (this.parts.leaseSeconds * 1000) / 3;
  }

  #prepare(maker: MessagePrefetcher): void {
    // A subscriber who unsubscribes while a chunk waits for the relay must not get it, so the chunk is fetched again.
    const stale = performance.now() - this.#loadedAt > this.parts.recipientTtlSeconds * 1000;
    if (this.#leave === 'stay' && stale && maker.remaining > 0) this.#leave = 'release';
    if (this.#leave === 'stay') {
      // No other relay can come into use before the connections are reserved, in the same turn of the event loop.
      maker.fit(this.parts.relay.signs);
      maker.makeAhead(this.parts.relay.quota('campaign') + this.#atLimit);
    } else {
      const deferred = this.#deferred.splice(0).map(({ mark: { subscriberId, email } }) => ({ subscriberId, email }));
      const givenUp = [...deferred, ...maker.giveUp()];
      if (this.#leave === 'stop') {
        this.#skipped.push(...givenUp.map((one) => ({ ...one, reason: 'STOPPED' as const, detail: null })));
      } else this.#skipped = [];
    }
    if (!this.#reportedLow && this.remaining < lowAt) {
      this.#reportedLow = true;
      this.onLow();
    }
  }

  async #writeSkipped(): Promise<void> {
    const some = this.#skipped.slice(0, skipsPerStatement);
    const skips = some.map((one) => ({ ...one, messageId: newUuid() }));
    if (!(await this.parts.pages.insertSkipped(this.page, skips))) this.#leave = 'lost';
    this.#skipped.splice(0, some.length);
    this.#heldAt = performance.now();
  }

  /** Deferrals that are not written stay for #prepare, which gives them up with the chunk. */
  async #writeDeferred(): Promise<void> {
    const group = await this.parts.pages.insertDeferred(this.page, this.#deferred);
    if (group.held && group.sendState === 'RUNNING') this.#deferred = [];
    this.#obey(group, { last: false, left: this.#deferred.length });
    this.#heldAt = performance.now();
  }

  #reserve(maker: MessagePrefetcher): Reserved[] {
    if (this.#leave !== 'stay' || this.#unsure.length > 0) return [];
    const { reserved, deferred, atLimit } = reserveConnections(maker, this.parts.relay, this.#unrecorded);
    this.#deferred.push(...deferred);
    this.#atLimit = atLimit;
    return reserved;
  }

  async #commit(maker: MessagePrefetcher, reserved: Reserved[], last: boolean): Promise<void> {
    const unsure = this.#unsure;
    const settlements = this.#settlements;
    const unrecorded = this.#unrecorded;
    this.#settlements = [];
    const askedAt = performance.now();
    let group: GroupCommit;
    try {
      group = await this.parts.pages.commit(this.page, {
        settlements: [...settlements, ...unsure.map(({ ready }) => this.#settle(ready.mark, notAttempted))],
        marks: reserved.map(({ ready }) => ready.mark),
        lane: this.#lane,
        done: last,
      });
    } catch (error) {
      this.#settlements = [...settlements, ...this.#settlements];
      this.#unsure = [...unsure, ...reserved.map(({ ready }) => ({ ready, again: true }))];
      for (const { turn } of reserved) if (turn) this.parts.relay.give(turn, null);
      throw error;
    }
    this.#heldAt = askedAt;
    this.#unrecorded -= unrecorded;
    this.parts.relay.recorded('campaign', unrecorded);
    const settled = new Set(group.settled);
    this.#unsure = [];
    for (const { ready, again } of unsure) {
      if (again && !settled.has(ready.mark.messageId)) maker.putBack(ready);
      else dropMessage(ready);
    }
    this.#obey(group, { last, left: maker.remaining + reserved.length + this.#deferred.length });
    this.#start(maker, { reserved, group, askedAt });
    if (settlements.some(({ events }) => events !== '')) this.parts.wakeOutbox();
    await this.#settleLate(settlements.filter(({ messageId }) => !settled.has(messageId)));
  }

  /** @param left how many are not on the wire; if none are left, the chunk ends with its results, paused or not */
  #obey(
    { held, sendState }: Pick<GroupCommit, 'held' | 'sendState'>,
    { last, left }: { last: boolean; left: number },
  ): void {
    if (!held) this.#leave = 'lost';
    else if (last) this.#leave = 'done';
    else if (this.#leave === 'stay' && sendState === 'STOPPED') this.#leave = 'stop';
    else if (this.#leave === 'stay' && sendState !== 'RUNNING' && left > 0) this.#leave = 'release';
  }

  #start(
    maker: MessagePrefetcher,
    { reserved, group, askedAt }: { reserved: Reserved[]; group: GroupCommit; askedAt: number },
  ): void {
    const started = new Set(group.started);
    const refused = new Set(group.refused);
    this.parts.meter.guarded('campaign', refused.size);
    for (const { ready, turn } of reserved) {
      const { messageId } = ready.mark;
      if (started.has(messageId)) {
        this.#underWay += 1;
        this.#attempt({ ready, turn }, askedAt);
        continue;
      }
      if (turn) this.parts.relay.give(turn, null);
      if (!group.held || group.sendState !== 'RUNNING') maker.putBack(ready);
      else if (refused.has(messageId)) dropMessage(ready);
      else this.#unsure.push({ ready, again: false });
    }
  }

  /**
   * Puts a marked message on the wire, unless the lease may have ended since and another process may hold the chunk.
   */
  #attempt({ ready, turn }: Reserved, askedAt: number): void {
    const leaseMs = this.parts.leaseSeconds * 1000;
    const leftMs = leaseMs - (performance.now() - askedAt);
    if (turn && leftMs >= 0) {
      const ended = (report: AttemptReport) => this.#attempted({ ready, turn }, report, true);
      return this.parts.relay.begin(turn, ready.message, ended, {
        before: monotonicMs() + leftMs,
        journal: null,
      });
    }
    dropMessage(ready);
    this.#attempted({ ready, turn }, leftMs < 0 ? notAttempted : { kind: 'simulated' }, false);
  }

  #attempted({ ready, turn }: Reserved, report: AttemptReport, wasBegun: boolean): void {
    if (turn) this.parts.relay.give(turn, wasBegun ? report : null);
    if (turn && wasBegun) this.#unrecorded += 1;
    this.#underWay -= 1;
    this.#settlements.push(this.#settle(ready.mark, report));
    this.#signal.notify();
  }

  #settle(mark: Mark, report: AttemptReport): Settlement {
    const facts = { send: this.#mail!.send, accepted: this.parts.accepted, mustArrive: false };
    return { messageId: mark.messageId, ...settleAttempt(report, { ...mark, attempts: 1, age: 0 }, facts) };
  }

  /** Results whose messages another worker has put in doubt meanwhile: they are the truth all the same. */
  async #settleLate(late: readonly Settlement[]): Promise<void> {
    const settlements = late.filter(({ state }) => state !== 'IN_DOUBT');
    if (settlements.length === 0) return;
    const { organizationId, period, fence } = this.page;
    const claims = settlements.map(({ messageId, ...result }) => ({
      ...result,
      message: { organizationId, messageId, period, fence, owner: null, attempts: 0 },
      skipReason: null,
      lane: this.#lane,
    }));
    await this.parts.due.settle('doubted', claims).catch((error: unknown) => {
      this.#settlements.push(...settlements);
      throw error;
    });
  }

  async #renew(): Promise<void> {
    if (!(await this.parts.pages.renew(this.page))) this.#leave = 'lost';
    this.#heldAt = performance.now();
  }
}

/** Thrown for a chunk without recipients, since every chunk was stored with some. */
export class AudienceGone extends Error {}

/** Returns why a chunk cannot be sent, and whether waiting will not help; null for defects. */
export function blockedBy(error: unknown): { reason: string; final: boolean } | null {
  if (error instanceof AudienceGone) return { reason: 'The frozen audience of the campaign is gone.', final: true };
  if (error instanceof SendBlocked) return { reason: error.message, final: false };
  if (!(error instanceof RemoteFailure)) return null;
  return { reason: error.message, final: error.failure.code === 'INVALID_STATE' };
}
