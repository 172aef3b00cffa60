import { parentPort } from 'node:worker_threads';
import { SizedCache } from '#content';
import { CampaignRenderer } from './campaign-renderer.js';
import type { RenderResult, RenderRequest } from './render-protocol.js';

/** Characters of JSON of all render plans that a thread caches; in memory it is two to four times that. */
const keptMax = 8_000_000;
const kept = new SizedCache<number, CampaignRenderer>(keptMax, ({ recipe }) => JSON.stringify(recipe.send).length);

/** Renders messages for the thread that started this one: rendering and signing take more time than all other work. */
parentPort!.on('message', (order: RenderRequest) => parentPort!.postMessage(make(order)));

function make({ order, recipeId, recipe, addressees: recipients, signs }: RenderRequest): RenderResult {
  const mail = recipe ? new CampaignRenderer(recipe) : kept.get(recipeId);
  if (!mail) return { order, messages: null };
  if (recipe) kept.set(recipeId, mail);
  const messages = recipients.map((to) => {
    try {
      return mail.make(to, { now: new Date(Date.now()), signs });
    } catch (error) {
      return { failure: (error as Error).message };
    }
  });
  return { order, messages };
}
