import { PollingWorker, Semaphore } from '#concurrency';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableStream, Reading, StreamMessage } from '#bus';
import type { Choice } from '#contracts';
import { newUuid } from '#database';
import { DeadLetterRepository, isTransient } from '#events';
import type { Logger } from '#observability';
import type { CallContexts, Worker } from '#service-host';
import { choiceHandlers } from './choice.consumer.js';

const durable = 'subscriber';
/** Commits cost more than the changes of a choice, and its statements wait for the network more than for the processor. */
const perTransaction = 50;
const transactionsAtOnce = 4;
const choicesAhead = perTransaction * transactionsAtOnce;
/** Milliseconds for which a killed process keeps its messages from its successor. */
const ackWaitMs = 5_000;
const retryMs = 250;
const reopenMs = 1_000;
const drainPollMs = 50;
/** Attempts after which a choice that fails for a reason of its own becomes a dead letter. */
const triesMax = 5;
/** Choices are not ordered by lane: a row has one writer by its lock. */
const noLane = -1;

export interface ChoiceWorkerDependencies {
  stream: DurableStream;
  contexts: CallContexts;
  log: Logger;
}

/**
 * Applies the unsubscriptions that wait in the stream `choices`; one that cannot be applied does not delay others.
 * `start` resolves when everything is applied that waited when it was called.
 */
export class ChoiceWorker implements Worker {
  readonly #semaphore = new Semaphore({ limit: transactionsAtOnce });
  readonly #failures = new Map<string, number>();
  readonly #applying = new Set<Promise<void>>();
  readonly #buffer: StreamMessage<Choice>[] = [];
  #reading: Reading | null = null;
  readonly #polling: PollingWorker;

  constructor(private readonly parts: ChoiceWorkerDependencies) {
    this.#polling = new PollingWorker({
      poll: () => this.#read().then(() => 0),
      minMs: reopenMs,
      maxMs: reopenMs,
      onError: (error) => parts.log.warn({ err: error }, 'choices cannot be read'),
    });
  }

  async start(): Promise<void> {
    this.#polling.start();
    await this.#drain();
  }

  async stop(): Promise<void> {
    const stopped = this.#polling.stop();
    await this.#reading?.stop().catch(() => undefined);
    await stopped;
    await Promise.all(this.#applying);
  }

  async #read(): Promise<void> {
    const { stream } = this.parts;
    await stream.ensure();
    await stream.ensureConsumer(durable, 'choices.*.*', ackWaitMs, choicesAhead);
    this.#reading = await stream.consume<Choice>(durable, choicesAhead, (message) => this.#take(message));
    await this.#reading.closed;
  }

  /**
   * Waits until all earlier choices are applied: while calls are not served, no message is started with recipient data
   * that they change.
   */
  async #drain(): Promise<void> {
    let last: number | null = null;
    while (!this.#polling.isStopping) {
      const stored = await this.parts.stream.stored().catch(() => null);
      if (stored) {
        last ??= stored.lastSequence;
        if (stored.count === 0 || stored.firstSequence > last) return;
      }
      await sleep(drainPollMs);
    }
  }

  #take(message: StreamMessage<Choice>): void {
    if (!isChoice(message.body)) {
      this.parts.log.error({ body: message.body }, 'a message that holds no choice was dropped');
      return message.term('no choice');
    }
    this.#buffer.push(message);
    const done: Promise<void> = this.#semaphore
      .run({}, () => this.#applySome())
      // The message is redelivered: only its acknowledgement can fail here.
      .catch((error: unknown) => this.parts.log.warn({ err: error }, 'a choice could not be acknowledged'))
      .finally(() => this.#applying.delete(done));
    this.#applying.add(done);
  }

  async #applySome(): Promise<void> {
    const some = this.#buffer.splice(0, perTransaction);
    if (some.length === 0) return;
    try {
      await this.#apply(some);
    } catch (error) {
      if (some.length === 1) return await this.#settleFailed(some[0]!, error);
      this.parts.log.warn({ err: error, choices: some.length }, 'choices could not be applied together');
      if (isTransient(error)) return some.forEach((message) => message.nak(retryMs));
      for (const one of some) await this.#apply([one]).catch((alone: unknown) => this.#settleFailed(one, alone));
    }
  }

  /** Applies choices in one transaction, in the order of their subscribers, so that transactions cannot deadlock. */
  async #apply(messages: readonly StreamMessage<Choice>[]): Promise<void> {
    const choices = messages.map(({ body }) => body);
    choices.sort((a, b) => (a.data.subscriberId < b.data.subscriberId ? -1 : 1));
    await this.parts.contexts.transaction((context) =>
      choiceHandlers['unsubscription.requested']!(choices, { ...context, lane: noLane }),
    );
    for (const message of messages) {
      this.#failures.delete(message.body.id);
      message.ack();
    }
  }

  async #settleFailed(message: StreamMessage<Choice>, error: unknown): Promise<void> {
    const { body: choice } = message;
    // A choice that waits for the database to recover must not become a dead letter.
    const failures = (this.#failures.get(choice.id) ?? 0) + Number(!isTransient(error));
    this.#failures.set(choice.id, failures);
    this.parts.log.warn({ err: error, choice: choice.id, failures }, 'a choice could not be applied');
    if (failures < triesMax) return message.nak(retryMs);
    try {
      await this.#putAside(choice, error);
      this.#failures.delete(choice.id);
      message.ack();
    } catch (refused) {
      this.parts.log.error({ err: refused, choice: choice.id }, 'a choice could not be put aside');
      message.nak(retryMs);
    }
  }

  async #putAside(event: Choice, error: unknown): Promise<void> {
    this.parts.log.error({ err: error, choice: event.id }, 'a choice was put aside as a dead letter');
    await new DeadLetterRepository(this.parts.contexts.plain().manager).insert({
      id: newUuid(),
      consumer: 'subscriber',
      event,
      error: String(error),
      attempts: triesMax,
    });
  }
}

const isChoice = (body: Partial<Choice> | null): body is Choice =>
  body?.name === 'unsubscription.requested' &&
  typeof body.id === 'string' &&
  typeof body.organizationId === 'string' &&
  typeof body.data === 'object';
