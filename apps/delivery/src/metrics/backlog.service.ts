import type { Registry } from 'prom-client';
import type { DurableStream } from '#bus';
import { observedGauges } from '#observability';
import { hitDurable } from '../report/tracking/hit.worker.js';
import type { MailHoldRepository } from '../hold/mail-hold.repository.js';
import type { Relay } from '../send/relay/connection-pool.worker.js';
import { largeReceiverOf } from './mailbox-provider.js';
import type { BacklogRepository, LaneBacklog } from './backlog.repository.js';

/** Serves what waits to be sent. */
export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  const byLane = (help: string) => ({ help, label: 'lane' });
  observedGauges(
    registry,
    {
      tidings_messages_due: byLane('Single messages that are due and not taken, at most 10000'),
      tidings_messages_later: byLane('Single messages put off until later or being handed over, at most 10000'),
      tidings_messages_oldest_seconds: byLane('How long the first of the due messages has been'),
      tidings_sends: { help: 'Sends of campaigns that have not ended', label: 'state' },
      tidings_send_pages_open: 'Pages of up to 500 people that are not finished, at most 10000',
    },
    async () => {
      const lanes = await backlog.listLanes();
      const each = (what: Exclude<keyof LaneBacklog, 'lane'>) => new Map(lanes.map((one) => [one.lane, one[what]]));
      return {
        tidings_messages_due: each('due'),
        tidings_messages_later: each('later'),
        tidings_messages_oldest_seconds: each('oldestSeconds'),
        tidings_sends: await backlog.countSends(),
        tidings_send_pages_open: await backlog.countPages(),
      };
    },
  );
}

/** Serves whether all mail is held. */
export function observeMailHold(registry: Registry, holds: MailHoldRepository): void {
  observedGauges(registry, { tidings_mail_held: 'Whether all mail is held (1) or not (0)' }, async () => ({
    tidings_mail_held: Number((await holds.find()) !== null),
  }));
}

/** Serves how many opens and clicks are not counted yet. */
export function observeHits(registry: Registry, stream: DurableStream): void {
  observedGauges(registry, { tidings_hits_waiting: 'Opens and clicks that are not recorded yet' }, async () => ({
    tidings_hits_waiting: await stream.pending(hitDurable),
  }));
}

/** Serves how things stand with the relay, as this process sees it. */
export function observeRelay(registry: Registry, engine: { relay: Relay['state'] }): void {
  observedGauges(
    registry,
    {
      tidings_relay_trouble: { help: 'Whether the relay in use takes no mail (1) or does (0)', label: 'relay' },
      tidings_relay_fallback: 'Whether the fallback is used (1), since the first relay takes no mail',
      tidings_receivers_left_alone: { help: 'Domains that take no mail for now and get none', label: 'receiver' },
      tidings_relay_connections: { help: 'Connections to the relay', label: 'state' },
    },
    () => {
      const { relay, isInTrouble, isFallback, leftAlone, connections } = engine.relay;
      const byReceiver = new Map<string, number>();
      for (const receiver of leftAlone.map(largeReceiverOf))
        byReceiver.set(receiver, (byReceiver.get(receiver) ?? 0) + 1);
      return Promise.resolve({
        tidings_relay_trouble: new Map([[relay, Number(isInTrouble)]]),
        tidings_relay_fallback: Number(isFallback),
        tidings_receivers_left_alone: byReceiver,
        tidings_relay_connections: new Map(Object.entries(connections)),
      });
    },
  );
}
