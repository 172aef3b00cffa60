import { parentPort } from 'node:worker_threads';
import { SizedCache } from '#content';
import { CampaignMail } from './campaign-renderer.js';
import type { MadeMessages, MakeMessages } from './render-protocol.js';

/** Characters of JSON that all sends may have that a thread keeps ready; in memory it is two to four times that. */
const keptMax = 8_000_000;
const kept = new SizedCache<number, CampaignMail>(keptMax, ({ recipe }) => JSON.stringify(recipe.send).length);

/** Makes messages for the thread that started this one: rendering and signing take more time than everything else. */
parentPort!.on('message', (order: MakeMessages) => parentPort!.postMessage(make(order)));

function make({ order, recipeId, recipe, addressees }: MakeMessages): MadeMessages {
  const mail = recipe ? new CampaignMail(recipe) : kept.get(recipeId);
  if (!mail) return { order, messages: null };
  if (recipe) kept.set(recipeId, mail);
  const messages = addressees.map((to) => {
    try {
      return mail.make(to, new Date(Date.now()));
    } catch (error) {
      return { failure: (error as Error).message };
    }
  });
  return { order, messages };
}
