import { parentPort, workerData } from 'node:worker_threads';
import { SizedCache } from '#content';
import { ConnectionHost } from '../relay/connection-host.worker.js';
import { noResults } from '../relay/thread-protocol.js';
import type { ThreadOrders, ThreadResults, ThreadStart } from '../relay/thread-protocol.js';
import { CampaignRenderer } from './campaign-renderer.js';
import type { RenderedSummary, RenderRequest, RenderResult } from './render-protocol.js';

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
let results: ThreadResults | null = null;
let postedAt = -Infinity;
let late: NodeJS.Timeout | null = null;

port.on('message', (orders: ThreadOrders) => {
  host.carryOut(orders);
  if (requests.length === 0 && orders.renders.length > 0) setImmediate(renderNext);
  requests.push(...orders.renders);
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

/** A few messages a turn, so that connections do not wait until all are rendered. */
function renderNext(): void {
  const request = requests.shift();
  if (!request) return;
  resultsOfTurn().rendered.push(render(request));
  if (requests.length > 0) setImmediate(renderNext);
}

function render({ order, recipeId, recipe, addressees: recipients, signs, first }: RenderRequest): RenderResult {
  const mail = recipe ? new CampaignRenderer(recipe) : kept.get(recipeId);
  if (!mail) return { order, messages: null };
  if (recipe) kept.set(recipeId, mail);
  const messages = recipients.map((to, place): RenderedSummary => {
    try {
      const { subject, message } = mail.make(to, { now: new Date(Date.now()), signs });
      host.keep(first + place, message);
      return { subject, to: message.to, octets: message.raw.length };
    } catch (error) {
      return { failure: (error as Error).message };
    }
  });
  return { order, messages };
}

/** QUIT is in the socket's buffer of the system when this turn ends. */
function stop(): void {
  host.quitAll();
  setImmediate(() => process.exit());
}
