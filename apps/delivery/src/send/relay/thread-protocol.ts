import type { SmtpMessage } from '../../message/message.js';
import type { RenderRequest, RenderResult } from '../render/render-protocol.js';
import type { Pipelining } from './pipelining.js';
import type { OpenOrder, ReportBatch, TextAttempt } from './wire-protocol.js';

/** What the main thread wants of a sending thread, gathered in one turn of its event loop; carried out in this order. */
export interface ThreadOrders {
  opens: OpenOrder[];
  /** Of attempts by number, `attemptStride` numbers each. */
  attempts: number[];
  texts: TextAttempt[];
  /** Numbers of rendered messages that are not sent. */
  drops: number[];
  /** Numbers of rendered messages whose text another thread needs. */
  fetches: number[];
  quits: number[];
  closes: number[];
  pipelining: { connections: number[]; pipelining: Pipelining }[];
  renders: RenderRequest[];
  /** Ends the thread; its connections are quit. */
  stop: boolean;
}

export const noOrders = (): ThreadOrders => ({
  opens: [],
  attempts: [],
  texts: [],
  drops: [],
  fetches: [],
  quits: [],
  closes: [],
  pipelining: [],
  renders: [],
  stop: false,
});

/** The result of an order to open a connection; `failure` is null when it is open. */
export interface Opened {
  connection: number;
  offersPipelining: boolean;
  failure: { message: string; isTurnedAway: boolean } | null;
}

/** What a sending thread reports, gathered in one turn of its event loop. */
export interface ThreadResults {
  opened: Opened[];
  reports: ReportBatch;
  /** Connections that ended by themselves. */
  ended: number[];
  fetched: { number: number; message: SmtpMessage | null }[];
  rendered: RenderResult[];
}

export const noResults = (): ThreadResults => ({
  opened: [],
  reports: { numbers: [], texts: [] },
  ended: [],
  fetched: [],
  rendered: [],
});

/** The data with which a sending thread starts. */
export interface ThreadStart {
  /** Of each attempt, by its index, whether its dot is written: what a thread leaves when it dies. */
  dots: SharedArrayBuffer;
}
