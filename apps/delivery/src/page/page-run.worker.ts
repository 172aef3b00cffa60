import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import type { PageRecipient, subscriberRequests } from '#contracts';
import { newId, newUuid, uuidOf, wireId } from '#database';
import { emailKey, isFixtureAddress, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { laneOf } from '#events';
import type { Logger } from '#observability';
import { RemoteFailure } from '#tool-call';
import type { DueRepository } from '../due/due.repository.js';
import type { HandOverReport } from '../message/hand-over-report.js';
import { judgeHandOver } from '../message/judge-hand-over.js';
import { factsOf } from '../message/message-facts.js';
import type { Parcel } from '../message/message.js';
import type { Relay, Turn } from '../relay/relay.worker.js';
import type { CampaignMail } from '../send/campaign-mail.js';
import { SendWaits } from '../send/campaign-mail.source.js';
import type { CampaignMailSource } from '../send/campaign-mail.source.js';
import { skipReasonOf } from '../send/skip-reason.js';
import type { SkipReason } from '../send/skip-reason.js';
import type { LeasedPage, Mark, Settlement, Skip } from './page.js';
import type { PageRepository } from './page.repository.js';
import { Signal } from './signal.js';

/** As the subscriber service cuts audiences. */
const pageSize = 500;
/** People left when the next page is called for. */
const lowAt = 100;
/** Messages made ahead for each connection, so that none waits for a signature. */
const aheadPerConnection = 2;
const skipsPerStatement = 100;
const pageDeadlineMs = 15_000;
const retryMs = 250;
const withheld: HandOverReport = { kind: 'withheld', reason: 'the page was held too long before the relay was asked' };

export interface PageRunParts {
  pages: PageRepository;
  due: DueRepository;
  mails: CampaignMailSource;
  subscribers: Client<typeof subscriberRequests>;
  relay: Relay;
  leaseSeconds: number;
  /** What a 250 of the relay means. */
  accepted: 'SENT' | 'DELIVERED';
  wakeOutbox: () => void;
  log: Logger;
}

interface Person {
  recipient: PageRecipient;
  subscriberId: string;
  address: EmailAddress;
  simulated: boolean;
}

/** A message ready to be marked and handed over. */
interface Ready {
  mark: Mark;
  parcel: Parcel;
}

/** How a page was left. */
export type PageEnd = { kind: 'done' | 'left' } | { kind: 'blocked'; reason: string; final: boolean };

/**
 * Works through one page: makes messages ahead, marks as many as there are connections, hands over what came back from
 * the mark, and commits each group of results with the next marks. What it does not know it settles before it marks
 * again, and what it has not marked it never puts on the wire.
 */
export class PageRun {
  readonly #signal = new Signal();
  readonly #lane: number;
  #people: Person[] = [];
  #making = 0;
  #ready: Ready[] = [];
  #skips: Skip[] = [];
  #settlements: Settlement[] = [];
  /** Marked perhaps, on the wire never. `again`: if it was not marked it may be; else somebody else has its place. */
  #unsure: { ready: Ready; again: boolean }[] = [];
  readonly #underWay = new Map<string, Ready>();
  #mail!: CampaignMail;
  #committedAt = 0;
  #loaded = false;
  #toldLow = false;
  #done = false;
  #leave: 'stay' | 'lost' | 'release' | 'stop' = 'stay';

  constructor(
    private readonly parts: PageRunParts,
    readonly page: LeasedPage,
    /** Called when the next page should be fetched. */
    private readonly onLow: () => void,
  ) {
    this.#lane = laneOf(page.organizationId, `${page.sendId}/${page.pageNo}`);
    if (page.sendState === 'STOPPED') this.#leave = 'stop';
  }

  /** People of the page who are not marked yet. */
  get remaining(): number {
    if (this.#leave !== 'stay') return 0;
    return this.#loaded ? this.#people.length + this.#ready.length + this.#making : pageSize;
  }

  /** Marks nothing more; what is under way finishes, and the page goes back. */
  halt(): void {
    if (this.#leave === 'stay') this.#leave = 'release';
    this.#signal.notify();
  }

  /** Works until the page is done, given back or lost. Rejects for defects only. */
  async run(): Promise<PageEnd> {
    this.#committedAt = performance.now();
    const stopListening = this.parts.relay.onFree(() => this.#signal.notify());
    try {
      await this.#load();
      while (!this.#finished()) await this.#step();
      if (this.#done) return { kind: 'done' };
      if (this.#leave !== 'lost') await this.parts.pages.release(this.page);
      return { kind: 'left' };
    } catch (error) {
      const reason = blockedBy(error);
      await this.parts.pages.release(this.page).catch(() => undefined);
      if (!reason) throw error;
      return { kind: 'blocked', ...reason };
    } finally {
      stopListening();
    }
  }

  async #load(): Promise<void> {
    const { organizationId, sendId, pageNo } = this.page;
    this.#mail = await this.parts.mails.get(organizationId, sendId);
    const { recipients } = await this.parts.subscribers.get_audience_page(
      { audienceId: this.#mail.send.audienceId, pageNumber: pageNo, showIf: this.#mail.showIf },
      serviceCaller(organizationId, randomUUID(), pageDeadlineMs),
    );
    if (recipients.length === 0) throw new AudienceGone();
    const ids = recipients.map(({ subscriberId }) => uuidOf('sub', subscriberId)!);
    // Only an earlier holder can have left messages behind.
    const known = this.page.fence === '1' ? new Set() : await this.parts.pages.takeOver(this.page, ids);
    const fixtures: Person[] = [];
    for (const [n, recipient] of recipients.entries()) {
      const subscriberId = ids[n]!;
      if (known.has(subscriberId)) continue;
      const person = this.#admit(recipient, subscriberId);
      if (person) (person.simulated ? fixtures : this.#people).push(person);
    }
    // Test addresses need no relay, so they do not stand behind those who do. Taken from the end.
    this.#people = [...fixtures, ...this.#people].reverse();
    this.#loaded = true;
  }

  /** @returns null for whoever gets no message, noted with the reason */
  #admit(recipient: PageRecipient, subscriberId: string): Person | null {
    const reason = skipReasonOf(recipient);
    if (reason) return this.#skip(subscriberId, recipient.email, reason, null);
    const parsed = parseAddress(recipient.email);
    if (!parsed.ok) return this.#skip(subscriberId, recipient.email, 'INVALID_ADDRESS', `The address ${parsed.reason}`);
    return { recipient, subscriberId, address: parsed.address, simulated: isFixtureAddress(parsed.address) };
  }

  #skip(subscriberId: string, email: string, reason: SkipReason, detail: string | null): null {
    this.#skips.push({ messageId: newUuid(), subscriberId, email, reason, detail: detail?.slice(0, 500) ?? null });
    return null;
  }

  #finished(): boolean {
    if (this.#done) return true;
    if (this.#underWay.size > 0 || this.#settlements.length > 0 || this.#unsure.length > 0) return false;
    return (this.#leave === 'lost' || this.#leave === 'release') && this.#making === 0;
  }

  async #step(): Promise<void> {
    if (!this.#toldLow && this.remaining < lowAt) {
      this.#toldLow = true;
      this.onLow();
    }
    if (this.#leave === 'stay') this.#makeAhead();
    if (this.#leave === 'stop') this.#skipRest();
    if (this.#leave === 'lost' || this.#leave === 'release') this.#forgetRest();
    const nothingLeft = this.#isWorkedThrough();
    try {
      if (this.#skips.length >= skipsPerStatement || (nothingLeft && this.#skips.length > 0)) {
        await this.#writeSkips();
        return;
      }
      const turns = this.#reserve();
      const done = nothingLeft && this.#unsure.length === 0;
      if (turns.length + this.#settlements.length + this.#unsure.length > 0 || done) {
        await this.#commit(turns, done);
        return;
      }
      await this.#signal.wait(this.#renewEveryMs);
      if (performance.now() - this.#committedAt > this.#renewEveryMs) await this.#renew();
    } catch (error) {
      this.parts.log.warn(
        { err: error, send: this.page.sendId, page: this.page.pageNo },
        'a page could not be written',
      );
      await this.#signal.wait(retryMs);
    }
  }

  get #renewEveryMs(): number {
    return (this.parts.leaseSeconds * 1000) / 3;
  }

  /** Nobody is left to mark and nobody is under way: the next commit ends the page. */
  #isWorkedThrough(): boolean {
    if (this.#leave === 'lost' || this.#leave === 'release') return false;
    return this.#people.length + this.#making + this.#ready.length + this.#underWay.size === 0;
  }

  #makeAhead(): void {
    const ahead = this.parts.relay.quota('campaign') * aheadPerConnection;
    while (this.#ready.length + this.#making < ahead && this.#people.length > 0) {
      this.#making += 1;
      void this.#make(this.#people.pop()!).finally(() => {
        this.#making -= 1;
        this.#signal.notify();
      });
    }
  }

  async #make({ recipient, subscriberId, address, simulated }: Person): Promise<void> {
    const messageId = newUuid();
    const { email } = recipient;
    try {
      const addressee = { messageId, subscriberId, address, recipient };
      const { parcel, subject } = await this.#mail.make(addressee, new Date(Date.now()));
      const mailbox = simulated ? null : emailKey(address);
      this.#ready.push({ mark: { messageId, subscriberId, email, mailbox, subject }, parcel });
    } catch (error) {
      this.#skip(subscriberId, email, 'RENDER_FAILED', (error as Error).message);
    }
  }

  #skipRest(): void {
    for (const { recipient, subscriberId } of this.#people.splice(0)) {
      this.#skip(subscriberId, recipient.email, 'STOPPED', null);
    }
    for (const { mark } of this.#ready.splice(0)) this.#skip(mark.subscriberId, mark.email, 'STOPPED', null);
  }

  #forgetRest(): void {
    this.#people = [];
    this.#ready = [];
    this.#skips = [];
  }

  async #writeSkips(): Promise<void> {
    const some = this.#skips.slice(0, skipsPerStatement);
    if (!(await this.parts.pages.insertSkipped(this.page, some))) this.#leave = 'lost';
    this.#skips.splice(0, some.length);
    this.#committedAt = performance.now();
  }

  /** Takes a connection for each message that can be handed over now; test addresses need none. */
  #reserve(): { ready: Ready; turn: Turn | null }[] {
    if (this.#leave !== 'stay' || this.#unsure.length > 0) return [];
    const { relay } = this.parts;
    const reserved: { ready: Ready; turn: Turn | null }[] = [];
    const kept: Ready[] = [];
    // The guard counts a mailbox once a statement, so a second message to it waits for the next.
    const mailboxes = new Set<string>();
    let free = true;
    for (const ready of this.#ready) {
      const { mailbox } = ready.mark;
      const may = reserved.length < relay.quota('campaign') && (mailbox === null || (free && !mailboxes.has(mailbox)));
      const turn = may && mailbox !== null ? relay.take('campaign') : null;
      if (may && mailbox !== null && !turn) free = false;
      if (!may || (mailbox !== null && !turn)) {
        kept.push(ready);
        continue;
      }
      if (mailbox !== null) mailboxes.add(mailbox);
      reserved.push({ ready, turn });
    }
    this.#ready = kept;
    return reserved;
  }

  async #commit(reserved: { ready: Ready; turn: Turn | null }[], done: boolean): Promise<void> {
    const { pages, relay } = this.parts;
    const unsure = this.#unsure;
    const settlements = this.#settlements;
    this.#settlements = [];
    const startedAt = performance.now();
    let group;
    try {
      group = await pages.commit(this.page, {
        settlements: [...settlements, ...unsure.map(({ ready }) => this.#settle(ready.mark, withheld))],
        marks: reserved.map(({ ready }) => ready.mark),
        lane: this.#lane,
        done,
      });
    } catch (error) {
      this.#settlements = [...settlements, ...this.#settlements];
      this.#unsure = [...unsure, ...reserved.map(({ ready }) => ({ ready, again: true }))];
      for (const { turn } of reserved) if (turn) relay.give(turn, null);
      throw error;
    }
    this.#committedAt = startedAt;
    const settled = new Set(group.settled);
    this.#unsure = [];
    for (const { ready, again } of unsure) if (again && !settled.has(ready.mark.messageId)) this.#ready.unshift(ready);
    if (!group.held) this.#leave = 'lost';
    else if (done) this.#done = true;
    else if (this.#leave === 'stay' && group.sendState !== 'RUNNING') {
      this.#leave = group.sendState === 'STOPPED' ? 'stop' : 'release';
    }
    this.#start(reserved, group, startedAt);
    if (settlements.some(({ events }) => events !== '')) this.parts.wakeOutbox();
    await this.#settleLate(settlements.filter(({ messageId }) => !settled.has(messageId)));
  }

  #start(
    reserved: { ready: Ready; turn: Turn | null }[],
    group: { started: string[]; refused: string[] },
    startedAt: number,
  ): void {
    const started = new Set(group.started);
    const refused = new Set(group.refused);
    for (const { ready, turn } of reserved) {
      const { messageId } = ready.mark;
      if (started.has(messageId)) {
        this.#underWay.set(messageId, ready);
        void this.#handOver(ready, turn, startedAt);
        continue;
      }
      if (turn) this.parts.relay.give(turn, null);
      if (this.#leave !== 'stay') this.#ready.push(ready);
      else if (!refused.has(messageId)) this.#unsure.push({ ready, again: false });
    }
  }

  /** Puts a marked message on the wire, unless so much time has passed that the page may be somebody else's. */
  async #handOver(ready: Ready, turn: Turn | null, markedAt: number): Promise<void> {
    const late = performance.now() - markedAt > this.parts.leaseSeconds * 1000;
    let report: HandOverReport = { kind: 'simulated' };
    if (late) report = withheld;
    else if (turn) report = await turn.client.handOver(ready.parcel);
    if (turn) this.parts.relay.give(turn, late ? null : report);
    this.#underWay.delete(ready.mark.messageId);
    this.#settlements.push(this.#settle(ready.mark, report));
    this.#signal.notify();
  }

  #settle(mark: Mark, report: HandOverReport): Settlement {
    const at = new Date(Date.now()).toISOString();
    const result = judgeHandOver(report, { attempts: 1, age: 0, accepted: this.parts.accepted });
    const { campaignId, campaignName, organizationId } = this.#mail.send;
    const about = {
      messageId: wireId('msg', mark.messageId),
      subscriberId: wireId('sub', mark.subscriberId),
      campaignId,
      campaignName,
      subject: mark.subject,
      email: mark.email,
      at,
      simulated: report.kind === 'simulated',
    };
    const events = factsOf(result, organizationId, { about, attempts: 1, newEventId: () => newId('evt') });
    return { ...result, messageId: mark.messageId, at, events };
  }

  /** Results whose messages another worker has put in doubt meanwhile: they are the truth all the same. */
  async #settleLate(late: readonly Settlement[]): Promise<void> {
    const settlements = late.filter(({ state }) => state !== 'IN_DOUBT');
    if (settlements.length === 0) return;
    const { organizationId, period, fence } = this.page;
    const claims = settlements.map(({ messageId, ...result }) => ({
      ...result,
      message: { organizationId, messageId, period, fence, owner: null },
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
    this.#committedAt = performance.now();
  }
}

/** A page always has somebody on it. */
class AudienceGone extends Error {}

/** Why a page cannot be worked on, and whether waiting will not help; null for defects. */
function blockedBy(error: unknown): { reason: string; final: boolean } | null {
  if (error instanceof AudienceGone) return { reason: 'The frozen audience of the campaign is gone.', final: true };
  if (error instanceof SendWaits) return { reason: error.message, final: false };
  if (!(error instanceof RemoteFailure)) return null;
  return { reason: error.message, final: error.failure.code === 'INVALID_STATE' };
}
