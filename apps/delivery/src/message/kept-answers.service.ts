import type { ServiceBus } from '#bus';
import { SizedCache } from '#content';
import type { Logger } from '#observability';
import { isUnanswered, RemoteFailure } from '#tool-call';
import type { KeptAnswerRepository } from './kept-answer.repository.js';

/** Milliseconds after which an unchanged answer is written again, which renews its validity. */
const renewMs = 10 * 60_000;
const rememberedMax = 10_000;
/** Milliseconds for which a service that did not respond is not asked again where its last answer is known. */
const awayMs = 30_000;

/** What a broadcast of a domain's change names; the domain in lower-case ASCII. */
interface Changed {
  organizationId: string;
  domain: string;
}

/** The name of the answer that holds the signing key of a domain. */
export const keyAnswer = (domain: string) => `key ${domain}`;

/**
 * Keeps what the domain service answered about senders, so that sends go on for up to 24 hours while it is away.
 * Senders that were never asked about wait. The key of a domain that was deleted or lost its verification is deleted
 * at once.
 */
export class KeptAnswers {
  /** What this process wrote last, so that it writes again only what changed or grows old. */
  readonly #written = new SizedCache<string, { text: string; at: number }>(rememberedMax, () => 1);

  #awayUntil = 0;

  constructor(
    private readonly repository: KeptAnswerRepository,
    bus: Pick<ServiceBus, 'onBroadcast'>,
    private readonly log: Logger,
  ) {
    const forget = ({ organizationId, domain }: Changed) => void this.#forget(organizationId, keyAnswer(domain));
    bus.onBroadcast<Changed>('sending-domain.changed', forget, 'home');
  }

  /**
   * @param name what is asked, the same each time
   * @param ask calls the domain service
   * @returns its answer, or the last one while it does not respond
   * @throws RemoteFailure when it does not respond and no valid answer is kept
   */
  async find<T>(organizationId: string, name: string, ask: () => Promise<T>): Promise<T> {
    const isAway = performance.now() < this.#awayUntil;
    const known = isAway ? await this.repository.find(organizationId, name) : undefined;
    if (known !== undefined) return known as T;
    try {
      const answer = await ask();
      await this.#keep(organizationId, name, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof RemoteFailure) || !isUnanswered(error.failure)) throw error;
      this.#awayUntil = performance.now() + awayMs;
      const kept = await this.repository.find(organizationId, name);
      if (kept === undefined) throw error;
      this.log.warn({ organization: organizationId, name }, 'the domain service is away; its last answer is used');
      return kept as T;
    }
  }

  async #keep(organizationId: string, name: string, answer: unknown): Promise<void> {
    const text = JSON.stringify(answer);
    const id = `${organizationId} ${name}`;
    const written = this.#written.get(id);
    if (written?.text === text && performance.now() - written.at < renewMs) return;
    await this.repository.upsert(organizationId, name, answer);
    this.#written.set(id, { text, at: performance.now() });
  }

  async #forget(organizationId: string, name: string): Promise<void> {
    this.#written.delete(`${organizationId} ${name}`);
    await this.repository
      .delete(organizationId, name)
      .catch((error: unknown) => this.log.warn({ err: error, name }, 'a kept answer was not deleted'));
  }
}
