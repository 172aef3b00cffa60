import { minuteShares } from './demand.js';
import type { Campaign, Demand } from './demand.js';

/** What one mail costs, and what one open or click costs; measured (docs/guides/scale.md). */
export interface UnitCosts {
  /** Milliseconds of processor time of all services, PostgreSQL and NATS. */
  processorMs: number;
  mail: RecordCosts;
  activity: RecordCosts;
}

interface RecordCosts {
  rows: number;
  walBytes: number;
  /** On disk for as long as messages and activity are kept. */
  keptBytes: number;
  /** In the stream of events for 48 hours, on each server. */
  streamBytes: number;
}

export interface Cell {
  /** Cores left for sending. */
  cores: number;
  /** Mails a second that its relays accept. */
  relayRate: number;
}

/** A month in one cell; the arrays have one element a minute. */
export interface CellMonth {
  sent: Float64Array;
  /** Opens and clicks. */
  activities: Float64Array;
  courses: Course[];
}

export interface Course extends Campaign {
  /** Minutes from its start to its last mail; a campaign without a full minute has one. */
  minutes: number;
}

const activitiesPerMail = 0.35;
/** Mean minutes from a mail to its opens and clicks. */
const activityDelay = 360;

/** Mails a minute that a cell can send. */
export const capacityOf = ({ cores, relayRate }: Cell, { processorMs }: UnitCosts): number =>
  60 * Math.min((cores * 1_000) / processorMs, relayRate);

/**
 * Sends a month's mail minute by minute: single mails first, then campaigns, whose organizations share equally what is
 * left, as the engine does. Campaigns that are unfinished at the end have no course.
 */
export function simulateMonth(demands: readonly Demand[], capacity: number): CellMonth {
  const waiting = demands.flatMap(({ campaigns }) => campaigns).sort((a, b) => a.startsAt - b.startsAt);
  const singleMails = demands.reduce((sum, demand) => sum + demand.singleMails, 0);
  const month: CellMonth = {
    sent: new Float64Array(minuteShares.length),
    activities: new Float64Array(minuteShares.length),
    courses: [],
  };
  let running: { campaign: Campaign; left: number }[] = [];
  let singlesLeft = 0;
  let unopened = 0;
  for (let next = 0, minute = 0; minute < minuteShares.length; minute++) {
    for (; waiting[next] && waiting[next]!.startsAt <= minute; next++) {
      running.push({ campaign: waiting[next]!, left: waiting[next]!.mails });
    }
    singlesLeft += singleMails * minuteShares[minute]!;
    const singles = Math.min(singlesLeft, capacity);
    singlesLeft -= singles;
    const sent = singles + sendEqually(running, capacity - singles);
    for (const { campaign, left } of running) {
      if (left <= 0) month.courses.push({ ...campaign, minutes: minute + 1 - campaign.startsAt });
    }
    running = running.filter(({ left }) => left > 0);
    unopened += sent * activitiesPerMail;
    const activities = unopened * (1 - Math.exp(-1 / activityDelay));
    unopened -= activities;
    month.sent[minute] = sent;
    month.activities[minute] = activities;
  }
  return month;
}

/** Takes equal shares of the capacity from each; what one does not need is for the others. @returns mails sent */
function sendEqually(running: { left: number }[], capacity: number): number {
  let free = capacity;
  let others = running.length;
  for (const one of running.sort((a, b) => a.left - b.left)) {
    const mails = Math.min(one.left, free / others);
    one.left -= mails;
    free -= mails;
    others -= 1;
  }
  return capacity - free;
}

/** The largest sum of any `length` minutes in succession. */
export function busiest(values: Float64Array, length: number): number {
  let [sum, most] = [0, 0];
  for (let minute = 0; minute < values.length; minute++) {
    sum += values[minute]! - (minute >= length ? values[minute - length]! : 0);
    most = Math.max(most, sum);
  }
  return most;
}
