import { PollingWorker } from '#concurrency';
import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { deliveryRequests, subscriberRequests } from '#contracts';
import type { Filter } from '#contracts';
import { isTransient } from '#events';
import type { Logger } from '#observability';
import { checkStoredFilters } from '#service-host';
import { boundsOf, RemoteFailure } from '#tool-call';
import type { Bounds, Caller } from '#tool-call';
import { composeSend, hashSend } from '../campaign/approved-send.service.js';
import { hasOutgrown } from '../campaign/campaign.js';
import type { MailComposer } from '../content/mail-composer.service.js';
import type { SenderClient } from '../sender/sender.client.js';
import { releaseAudience } from './audience-release.job.js';
import {
  failureOfStart,
  noRecipientsFailure,
  retrySeconds,
  sendDueBroadcast,
  senderFailure,
  waitingText,
} from './send.js';
import type { StartingSend, StartSend } from './send.js';
import type { SendRepository } from './send.repository.js';
import { findSendProgress } from './send.requests.js';

/** A start is a few requests and one large statement of the subscriber service; more would only queue there. */
const atOnceMax = 4;

interface Prepared {
  request: StartSend;
  bounds: Bounds | undefined;
}

export interface SendStarterOptions {
  sends: SendRepository;
  composer: MailComposer;
  senders: SenderClient;
  bus: ServiceBus;
  log: Logger;
  /** Milliseconds for which a claimed campaign belongs to the claiming process. */
  leaseMs: number;
  /** Interval of polls for due campaigns, in milliseconds; sends without a delay are announced in addition. */
  pollIntervalMs: number;
}

/** Each step may be repeated, since a claim fixes the ids of send and audience. */
export class SendStarter {
  readonly #underWay = new Set<Promise<void>>();
  readonly #polling: PollingWorker;

  constructor(private readonly options: SendStarterOptions) {
    const { log, pollIntervalMs } = options;
    this.#polling = new PollingWorker({
      poll: () => this.take(),
      minMs: pollIntervalMs,
      maxMs: pollIntervalMs,
      onError: (error) => log.warn({ err: error }, 'due campaigns cannot be claimed'),
    });
  }

  start(): void {
    this.options.bus.onBroadcast(sendDueBroadcast, () => this.#polling.wake());
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await this.settled();
  }

  /** Claims due campaigns, as many as there are free slots, and begins to start them. @returns the number claimed */
  async take(): Promise<number> {
    const room = atOnceMax - this.#underWay.size;
    if (room === 0) return 0;
    const taken = await this.options.sends.claim(room, this.options.leaseMs);
    for (const send of taken) {
      this.#publishChange(send);
      const bringing = this.#bring(send).finally(() => {
        this.#publishChange(send);
        this.#underWay.delete(bringing);
        this.#polling.wake();
      });
      this.#underWay.add(bringing);
    }
    return taken.length;
  }

  #publishChange({ organizationId: organization, campaign: { id } }: StartingSend): void {
    this.options.bus.live.publish({ name: 'campaign.changed', id, organization });
  }

  /** Waits until every claimed campaign is with the delivery service, failed, or rescheduled. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Never throws: an error becomes the campaign's failure, or the start is tried again. */
  async #bring(send: StartingSend): Promise<void> {
    const { sends, log, leaseMs } = this.options;
    // Requests end before the lease does, so that none acts for a campaign that another process has taken over.
    const caller = serviceCaller(send.organizationId, `start ${send.sendId}`, leaseMs * (5 / 6));
    try {
      const known = send.attempt > 1 ? await findSendProgress(this.options.bus, send.sendId, caller) : null;
      const total = known ? known.total : await this.#start(send, caller);
      if (total !== null) await sends.updateHandedOver(send, total);
    } catch (error) {
      log.warn({ err: error, campaign: send.campaign.id, attempt: send.attempt }, 'cannot start the campaign yet');
      await sends
        .updateWaiting(send, {
          seconds: retrySeconds(send.attempt),
          reason: waitingText(error),
          defects: send.defects + Number(!isTransient(error)),
        })
        .catch((cause: unknown) => log.warn({ err: cause }, 'campaign will be claimed again when its lease ends'));
    }
  }

  /** @returns the number of recipients; null when the campaign failed instead */
  async #start(send: StartingSend, caller: Caller): Promise<number | null> {
    const prepared = await this.#prepare(send, caller).catch((error: unknown) => {
      const failure = isTransient(error) ? null : failureOfStart(error, send.defects + 1);
      if (failure === null) throw error;
      return failure;
    });
    if (prepared === null) {
      await this.#hold(send, caller);
      return null;
    }
    const failure = typeof prepared === 'string' ? prepared : await this.#handOver(prepared, caller);
    if (failure !== null) await this.options.sends.updateFailed(send, failure);
    return typeof prepared === 'string' || failure !== null ? null : prepared.request.total;
  }

  /**
   * Only a full quota may fail the campaign now: after any other error the delivery service may already have the send.
   * @returns the refusal, null when the send was accepted
   */
  async #handOver({ request, bounds }: Prepared, caller: Caller): Promise<string | null> {
    try {
      await this.options.bus.client(deliveryRequests).start_send(request, { ...caller, bounds });
      return null;
    } catch (error) {
      if (error instanceof RemoteFailure && error.failure.reason === 'QUOTA_REACHED') return failureOfStart(error, 1);
      throw error;
    }
  }

  /** Holds a campaign for another approval, and releases its audience; the job does that if it fails here. */
  async #hold(send: StartingSend, caller: Caller): Promise<void> {
    const { organizationId, campaign, audienceId } = send;
    if (!(await this.options.sends.updateHeld(send))) return;
    const unreleased = { organizationId, campaignId: campaign.id, audienceId };
    await releaseAudience(this.options, unreleased, caller).catch((error: unknown) =>
      this.options.log.warn({ err: error, campaign: campaign.id }, 'audience of a held campaign not released yet'),
    );
  }

  /**
   * Collects everything the delivery service needs. The audience is frozen first, so that what is compared with the
   * approval is what goes out.
   * @returns a text when there will be nothing to send; null when the send is not what was approved
   */
  async #prepare({ campaign, sendId, audienceId }: StartingSend, caller: Caller): Promise<Prepared | string | null> {
    const { bus, composer, senders } = this.options;
    const subscribers = bus.client(subscriberRequests);
    const sender = await senders.findForSend(campaign.senderId, caller);
    if (sender?.domainStatus !== 'VERIFIED') return senderFailure(sender);
    const { filters, approved } = campaign;
    const audience = await subscribers.freeze_audience({ audienceId, purpose: 'SEND', filters }, caller);
    const composed = await composeSend({ composer }, campaign, caller);
    if (approved) {
      const hash = await hashSend(bus, campaign, { composed, sender }, caller);
      if (hash !== approved.hash || hasOutgrown(approved.count, audience.total)) return null;
    }
    if (audience.total === 0) return noRecipientsFailure;
    const { template, organization } = composed;
    // Filters name tags by id from here on, so that renaming a tag during the send has no effect.
    const showIf = await Promise.all(
      template.showIf.map(async (list) => (await checkStoredFilters(bus, list as Filter[], caller)).filters),
    );
    const request: StartSend = {
      sendId,
      campaignId: campaign.id,
      campaignName: campaign.name,
      audienceId,
      total: audience.total,
      pages: audience.pages,
      template: { ...template, showIf },
      sender,
      replyTo: campaign.replyTo ?? sender.replyTo,
      organizationName: organization.name,
      tracking: organization.tracking,
    };
    return { request, bounds: boundsOf(organization) };
  }
}
