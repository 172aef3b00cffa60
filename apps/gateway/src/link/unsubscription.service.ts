import type { Registry } from 'prom-client';
import { choiceStream, publishChoice, serviceCaller } from '#bus';
import type { Bus, Client } from '#bus';
import { subscriberRequests } from '#contracts';
import type { Choice, Data, UnsubscribeSource } from '#contracts';
import { newId } from '#database';
import type { MessageLink } from '#link-token';
import { observedGauges } from '#observability';
import type { Logger } from '#observability';
import { failureOf, RemoteFailure, ToolError } from '#tool-call';
import { CellStreams } from './cell-streams.service.js';

/** A recipient waits 3 s at most: this long for the effect, the rest for storing the choice. */
const effectMs = 2_200;
const storeMs = 800;

interface Unsubscription {
  link: MessageLink & { subscriberId: string };
  source: UnsubscribeSource;
  requestId: string;
}

interface UnsubscriptionDependencies {
  bus: Bus;
  replicas: number;
  log: Logger;
}

type Unsubscribed = Data<typeof subscriberRequests.calls.unsubscribe_by_link>;

/**
 * Unsubscribes by the link of a message. If the subscriber service does not respond, the choice is stored in the stream
 * `choices` of the organization's cell, from which that service applies it. Both may happen: the choice carries the
 * instant of the request and takes effect once.
 */
export class Unsubscriptions {
  readonly #subscribers: Client<typeof subscriberRequests>;
  readonly #streams: CellStreams;

  constructor(private readonly parts: UnsubscriptionDependencies) {
    const { bus, replicas } = parts;
    this.#subscribers = bus.clientWithoutRepeat(subscriberRequests);
    this.#streams = new CellStreams(bus.connection, (cell) => choiceStream(cell, replicas));
  }

  /**
   * @returns the subscriber afterwards; null if the choice is stored and takes effect later
   * @throws RemoteFailure if the choice can neither be applied nor stored: nothing may be confirmed to the recipient
   */
  async unsubscribe({ link, source, requestId }: Unsubscription): Promise<Unsubscribed | null> {
    const { organizationId, subscriberId, campaignId, messageId } = link;
    const caller = serviceCaller(organizationId, requestId, effectMs);
    // By the services' clock, since it is compared with instants that they wrote.
    const at = this.parts.bus.serviceTime().toISOString();
    const by = { subscriberId, source, campaignId, messageId };
    try {
      return await within(effectMs, this.#subscribers.unsubscribe_by_link(by, caller));
    } catch (error) {
      this.parts.log.info({ err: error, requestId, organizationId }, 'an unsubscription is stored for later');
    }
    const data = { ...by, at };
    const choice: Choice = { id: newId('evt'), organizationId, name: 'unsubscription.requested', data };
    try {
      await within(storeMs, this.#store(choice));
    } catch (error) {
      this.parts.log.error({ err: error, requestId, organizationId }, 'an unsubscription was not accepted');
      throw new RemoteFailure(failureOf(new ToolError('SERVICE_UNAVAILABLE', { service: 'subscriber' })).error);
    }
    return null;
  }

  async #store(choice: Choice): Promise<void> {
    const { bus } = this.parts;
    if (!bus.connected) throw new Error('the bus is not connected');
    // The domain service may be away too; only the cell that has the subscriber changes anything.
    const cells = await bus.placement.find(choice.organizationId).then(
      (cell) => [cell],
      () => bus.cells,
    );
    await Promise.all(cells.map((cell) => this.#streams.use(cell, (stream) => publishChoice(stream, choice, storeMs))));
  }
}

/** Reports pending choices by cell, here because the service that applies them may be unavailable. */
export function observeChoices(registry: Registry, { connection, cells }: Pick<Bus, 'connection' | 'cells'>): void {
  observedGauges(
    registry,
    {
      tidings_choices_pending: { help: 'Unsubscriptions accepted and not yet applied', label: 'cell' },
      tidings_choices_oldest_seconds: { help: 'Age of the oldest of them', label: 'cell' },
    },
    async () => {
      const found = await Promise.all(
        cells.map(async (namespace) => ({ namespace, stored: await choiceStream({ connection, namespace }).stored() })),
      );
      const age = (at: Date | null | undefined) => (at ? Math.max(0, Date.now() - at.getTime()) / 1000 : 0);
      return {
        tidings_choices_pending: new Map(found.map(({ namespace, stored }) => [namespace, stored?.count ?? 0])),
        tidings_choices_oldest_seconds: new Map(
          found.map(({ namespace, stored }) => [namespace, age(stored?.oldestAt)]),
        ),
      };
    },
  );
}

/** @throws when `work` does not end in time; it continues, and its result is ignored */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
