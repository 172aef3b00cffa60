import { parentPort } from 'node:worker_threads';
import { CampaignMail } from '../send/campaign-mail.js';
import type { MadeMessages, MakeMessages } from './making.js';

/** As many sends as a thread keeps ready; templates may have 100 KB and more. */
const keptMax = 32;
const kept = new Map<number, CampaignMail>();

/** Makes messages for the thread that started this one: rendering and signing take more time than everything else. */
parentPort!.on('message', (order: MakeMessages) => parentPort!.postMessage(make(order)));

function make({ order, recipeId, recipe, addressees }: MakeMessages): MadeMessages {
  if (recipe) kept.set(recipeId, new CampaignMail(recipe));
  if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
  const mail = kept.get(recipeId);
  if (!mail) return { order, messages: null };
  const messages = addressees.map((to) => {
    try {
      return mail.make(to, new Date(Date.now()));
    } catch (error) {
      return { failure: (error as Error).message };
    }
  });
  return { order, messages };
}
