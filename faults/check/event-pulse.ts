import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '#bus';
import { newId, newUuid, uuidOf } from '#database';
import { laneCount } from '#events';
import { openedEvent, until, writeOpensSql } from '#testing';
import type { TestSystem } from '#testing';
import type pg from 'pg';
import { countOpens } from './count-opens.js';
import { withDatabase } from '../rig/system-database.js';
import { awaitApplied, consumers, countDeadLetters, readApplied } from './lane-progress.js';

/** Each lane of each consumer gets two events a second, which is little beside a campaign. */
const everyMs = 500;
const lookEveryMs = 100;
const lanesOfAll = consumers.length * laneCount;
/** Events in flight when their consumer died are delivered again after 30 s. */
const appliedWithinMs = 60_000;

/** What a pulse showed of the time since an instant. */
export interface PulseResult {
  /** The longest time in which a consumer did not go on in a lane. */
  standstillSeconds: number;
  /** Of the consumer and lane of that time. */
  lane: string;
  written: number;
  lost: number;
  doubled: number;
  /** Whether every consumer has applied all events of delivery in the end. */
  isApplied: boolean;
  /** Events that a service has put aside, of all events. */
  deadLetters: number;
}

/**
 * Writes an event into each lane of delivery's outbox twice a second, and watches how far each consumer has applied
 * them: how long none went on, and whether each event had its effect once.
 */
export class EventPulse {
  readonly #organizationId = newId('org');
  readonly #campaignId = newId('cmp');
  /** When each lane of each consumer went on, in milliseconds since the epoch. */
  readonly #advances = new Map<string, number[]>();
  readonly #applied = new Map<string, number>();
  #written = 0;
  #isWriting = true;
  #isWatching = true;
  readonly #writing: Promise<void>;
  readonly #watching: Promise<void>;

  constructor(
    private readonly system: TestSystem,
    private readonly bus: Bus,
  ) {
    this.#writing = withDatabase(system, (client) => this.#write(client));
    this.#watching = withDatabase(system, (client) => this.#watch(client));
  }

  /** Waits until every consumer has gone on in each lane. */
  async awaitStart(): Promise<void> {
    await until('events of all lanes are applied', () => this.#advances.size >= lanesOfAll, appliedWithinMs);
  }

  /**
   * Ends once all events are applied, or the time for it is over.
   * @param from milliseconds since the epoch, from when on the consumption could go on
   */
  async stop(from: number): Promise<PulseResult> {
    const to = Date.now();
    this.#isWriting = false;
    await this.#writing;
    const isApplied = await awaitApplied(this.system, appliedWithinMs).then(
      () => true,
      () => false,
    );
    this.#isWatching = false;
    await this.#watching;
    const surplus = (await countOpens(this.system, this.#campaignId)) - this.#written;
    const counts = { written: this.#written, lost: Math.max(0, -surplus), doubled: Math.max(0, surplus) };
    const deadLetters = await countDeadLetters(this.system);
    return { ...this.#longest(from, Math.max(to, from)), ...counts, isApplied, deadLetters };
  }

  #longest(from: number, to: number): Pick<PulseResult, 'standstillSeconds' | 'lane'> {
    let longest = { lane: '', standstillSeconds: 0 };
    for (const [lane, advances] of this.#advances) {
      // What advances after `to` was waited for until then.
      const next = advances.find((at) => at > to) ?? to;
      const times = [from, ...advances.filter((at) => at > from && at <= to), next];
      for (const [n, at] of times.slice(1).entries()) {
        const standstillSeconds = (at - times[n]!) / 1000;
        if (standstillSeconds > longest.standstillSeconds) longest = { lane, standstillSeconds };
      }
    }
    return longest;
  }

  async #write(client: pg.Client): Promise<void> {
    const lanes = Array.from({ length: laneCount }, (_, lane) => lane);
    while (this.#isWriting) {
      const events = lanes.map(() => JSON.stringify([openedEvent(this.#organizationId, this.#campaignId)]));
      const ids = lanes.map(() => newUuid());
      await client.query(writeOpensSql, [ids, lanes, uuidOf('org', this.#organizationId), events]);
      this.#written += lanes.length;
      if (this.bus.connected) this.bus.broadcast('outbox.delivery', {});
      await pause(everyMs);
    }
  }

  async #watch(client: pg.Client): Promise<void> {
    while (this.#isWatching) {
      const applied = await readApplied(client);
      const at = Date.now();
      for (const [lane, number] of applied) {
        const before = this.#applied.get(lane);
        this.#applied.set(lane, number);
        if (before !== undefined && before !== number)
          this.#advances.set(lane, [...(this.#advances.get(lane) ?? []), at]);
      }
      await pause(lookEveryMs);
    }
  }
}
