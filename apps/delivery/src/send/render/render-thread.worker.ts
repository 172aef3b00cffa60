import { parentPort, workerData } from 'node:worker_threads';
import { SizedCache } from '#content';
import { ConnectionHost } from '../relay/connection-host.worker.js';
import { noResults } from '../relay/thread-protocol.js';
import type { ThreadOrders, ThreadResults, ThreadStart } from '../relay/thread-protocol.js';
import { CampaignRenderer } from './campaign-renderer.js';
import type { RenderedSummary, RenderRequest } from './render-protocol.js';

/** Characters of JSON of all render plans that a thread caches; in memory it is two to four times that. */
const keptMax = 8_000_000;
const kept = new SizedCache<number, CampaignRenderer>(keptMax, ({ recipe }) => JSON.stringify(recipe.send).length);

/**
 * Renders, signs and sends messages for the thread that started this one. Only what the main thread decides by crosses
 * threads, gathered for each turn of the event loop.
 */
const port = parentPort!;
const { dots } = workerData as ThreadStart;
const host = new ConnectionHost(resultsOfTurn, new Int32Array(dots));
const requests: RenderRequest[] = [];
/** Between messages to the main thread while attempts are in progress: each of them wakes it. */
const spacingMs = 8;
/** For which a connection may wait while messages are rendered: one or two that are signed. */
const sliceMs = 0.5;

/** Some messages of a campaign that are being rendered; `mail` is null if the thread does not have it any more. */
interface RenderJob {
  request: RenderRequest;
  mail: CampaignRenderer | null;
  messages: RenderedSummary[];
}

let job: RenderJob | null = null;
let isRendering = false;
let results: ThreadResults | null = null;
let postedAt = -Infinity;
let late: NodeJS.Timeout | null = null;

port.on('message', (orders: ThreadOrders) => {
  host.carryOut(orders);
  requests.push(...orders.renders);
  if (requests.length > 0 && !isRendering) setImmediate(renderSome);
  isRendering ||= requests.length > 0;
  if (orders.stop) stop();
});

/** The replies of all connections that were ready in a turn, and soon after, go to the main thread together. */
function resultsOfTurn(): ThreadResults {
  if (!results) {
    results = noResults();
    setImmediate(post);
  } else if (late && host.isIdle) {
    clearTimeout(late);
    late = null;
    setImmediate(post);
  }
  return results;
}

/** Nothing more can follow soon where no attempt is in progress. */
function post(): void {
  const waitMs = host.isIdle ? 0 : postedAt + spacingMs - performance.now();
  late = waitMs > 0 ? setTimeout(post, waitMs) : null;
  if (late) return;
  postedAt = performance.now();
  port.postMessage(results);
  results = null;
}

/** Renders for a moment each turn, so that no connection waits long for its next command. */
function renderSome(): void {
  const end = performance.now() + sliceMs;
  do {
    job ??= begin(requests.shift()!);
    if (renderOne(job)) continue;
    resultsOfTurn().rendered.push({ order: job.request.order, messages: job.mail && job.messages });
    job = null;
  } while ((job !== null || requests.length > 0) && performance.now() < end);
  if (job !== null || requests.length > 0) setImmediate(renderSome);
  else isRendering = false;
}

function begin(request: RenderRequest): RenderJob {
  const { recipeId, recipe } = request;
  const mail = recipe ? new CampaignRenderer(recipe) : (kept.get(recipeId) ?? null);
  if (mail && recipe) kept.set(recipeId, mail);
  return { request, mail, messages: [] };
}

/** @returns false when the job has no more messages */
function renderOne({ request: { addressees, first, signs }, mail, messages }: RenderJob): boolean {
  const place = messages.length;
  if (mail === null || place === addressees.length) return false;
  try {
    const { subject, message } = mail.make(addressees[place]!, { now: new Date(Date.now()), signs });
    host.keep(first + place, message);
    messages.push({ subject, to: message.to, octets: message.raw.length });
  } catch (error) {
    messages.push({ failure: (error as Error).message });
  }
  return true;
}

/** QUIT is in the socket's buffer of the system when this turn ends. */
function stop(): void {
  host.quitAll();
  setImmediate(() => process.exit());
}
