import type { Registry } from 'prom-client';
import { BatchBuffer } from '#concurrency';
import { hitStream, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { trackingRequests, subscriberRequests } from '#contracts';
import type { Hit } from '#contracts';
import type { ClickLink } from '#link-token';
import { observedGauges } from '#observability';
import type { Logger } from '#observability';
import { isUnanswered, RemoteFailure } from '#tool-call';
import { CellStreams } from './cell-streams.service.js';

export type LinkEffect = { kind: 'hit'; hit: Hit } | TagEffect;

interface TagEffect {
  kind: 'tags';
  link: ClickLink & { subscriberId: string };
  at: string;
  userAgent: string | null;
  requestId: string;
}

/** Sends hits and tag changes, and retries until they are accepted. */
export class LinkEffects extends BatchBuffer<LinkEffect> {}

const batchMax = 64;
/** Kept while a service is unavailable: minutes of a large send, some megabytes. */
const effectsMax = 20_000;
const changeMs = 5_000;
/** Half a minute: an error that lasts longer is a defect. */
const defectTriesMax = 60;

interface LinkEffectsDependencies {
  bus: Bus;
  replicas: number;
  /** Most bytes of the stream of opens and clicks. */
  hitsBytesMax: number;
  log: Logger;
  registry: Registry;
}

export function makeLinkEffects({ bus, replicas, hitsBytesMax, log, registry }: LinkEffectsDependencies): LinkEffects {
  const publish = hitPublisher(bus, replicas, hitsBytesMax);
  const changeTags = tagChanger(bus, log);
  const effects = new LinkEffects({
    deliver: (some) => some.map((effect) => (effect.kind === 'hit' ? publish(effect.hit) : changeTags(effect))),
    batchMax,
    sizeMax: effectsMax,
    onLost: ({ kind }) => log.error({ kind }, 'too many opens and clicks wait; one is lost'),
    onFailure: (error, waiting) => log.warn({ err: error, waiting }, 'opens and clicks wait'),
  });
  const gauges = { tidings_link_effects_pending: 'Opens, clicks and tag changes not yet published' };
  observedGauges(registry, gauges, () => Promise.resolve({ tidings_link_effects_pending: effects.size }));
  return effects;
}

function hitPublisher({ connection, placement }: Bus, replicas: number, bytesMax: number) {
  const streams = new CellStreams(connection, (cell) => hitStream(cell, replicas, bytesMax));
  return async (hit: Hit): Promise<void> => {
    const cell = await placement.find(hit.organizationId);
    await streams.use(cell, (stream) => stream.publish('hits', JSON.stringify(hit), hit.hitId));
  };
}

/**
 * Changes tags by a link, unless a machine followed it: security scanners follow every link of a mail.
 * @returns throws for a change to retry: the service did not respond, or reported a defect (retried a bounded number of
 * times)
 */
export function tagChanger(bus: Pick<Bus, 'client'>, log: Logger): (effect: TagEffect) => Promise<void> {
  const delivery = bus.client(trackingRequests);
  const subscribers = bus.client(subscriberRequests);
  const defects = new WeakMap<TagEffect, number>();
  return async (effect) => {
    const { link, at, userAgent, requestId } = effect;
    const { organizationId, subscriberId, messageId, period, addTags: add = [], removeTags: remove = [] } = link;
    const caller = serviceCaller(organizationId, requestId, changeMs);
    try {
      const { machine } = await delivery.judge_click({ messageId, period, at, userAgent }, caller);
      if (!machine) await subscribers.change_tags_by_link({ subscriberId, add, remove }, caller);
    } catch (error) {
      if (!(error instanceof RemoteFailure) || isUnanswered(error.failure)) throw error;
      const { code } = error.failure;
      const tries = (defects.get(effect) ?? 0) + 1;
      defects.set(effect, tries);
      if (code === 'INTERNAL' && tries < defectTriesMax) throw error;
      // A refusal by the owning service is permanent.
      log.warn({ requestId, organizationId, code, tries }, 'tag link refused');
    }
  };
}
