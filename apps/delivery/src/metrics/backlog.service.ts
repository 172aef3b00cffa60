import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { MailHoldRepository } from '../hold/mail-hold.repository.js';
import type { SendQueue } from '../message/send-queue.js';
import { mailboxProvider } from './mailbox-provider.js';
import type { BacklogRepository, QueueBacklog } from './backlog.repository.js';

export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  const byQueue = (help: string) => ({ help, label: 'queue' });
  observedGauges(
    registry,
    {
      tidings_messages_due: byQueue('Single messages that are due and not yet claimed (capped at 10,000)'),
      tidings_messages_deferred: byQueue('Single messages deferred or in a delivery attempt (capped at 10,000)'),
      tidings_messages_oldest_seconds: byQueue('Age of the oldest due message'),
      tidings_sends: { help: 'Sends of campaigns that have not ended (capped at 10,000)', label: 'state' },
      tidings_send_chunks_pending: 'Chunks of up to 500 recipients not finished (capped at 10,000)',
    },
    async () => {
      const lanes = await backlog.listQueues();
      const each = (what: Exclude<keyof QueueBacklog, 'lane'>) => new Map(lanes.map((one) => [one.lane, one[what]]));
      return {
        tidings_messages_due: each('due'),
        tidings_messages_deferred: each('later'),
        tidings_messages_oldest_seconds: each('oldestSeconds'),
        tidings_sends: await backlog.countSends(),
        tidings_send_chunks_pending: await backlog.countPages(),
      };
    },
  );
}

export function observeMailHold(registry: Registry, holds: MailHoldRepository): void {
  observedGauges(registry, { tidings_mail_held: 'Whether all mail is held (1) or not (0)' }, async () => ({
    tidings_mail_held: Number((await holds.find()) !== null),
  }));
}

export function observeHits(registry: Registry, countPending: () => Promise<number>): void {
  observedGauges(registry, { tidings_hits_pending: 'Opens and clicks not recorded yet' }, async () => ({
    tidings_hits_pending: await countPending(),
  }));
}

export interface RelayState {
  relay: string;
  isFallback: boolean;
  isInTrouble: boolean;
  leftAlone: readonly string[];
  /** The numbers of connections that are busy by queue, being opened, and idle. */
  connections: Record<SendQueue | 'opening' | 'idle', number>;
}

export function observeRelay(registry: Registry, engine: { relay: RelayState }): void {
  observedGauges(
    registry,
    {
      tidings_relay_unavailable: { help: 'Whether the relay in use is unavailable (1) or not (0)', label: 'relay' },
      tidings_relay_fallback: 'Whether the fallback relay is in use (1) or not (0)',
      tidings_destinations_backed_off: { help: 'Recipient domains backed off after deferrals', label: 'provider' },
      tidings_relay_connections: { help: 'Connections to the relay', label: 'state' },
    },
    () => {
      const { relay, isInTrouble, isFallback, leftAlone, connections } = engine.relay;
      const byProvider = new Map<string, number>();
      for (const provider of leftAlone.map(mailboxProvider))
        byProvider.set(provider, (byProvider.get(provider) ?? 0) + 1);
      return Promise.resolve({
        tidings_relay_unavailable: new Map([[relay, Number(isInTrouble)]]),
        tidings_relay_fallback: Number(isFallback),
        tidings_destinations_backed_off: byProvider,
        tidings_relay_connections: new Map(Object.entries(connections)),
      });
    },
  );
}
