import { setTimeout as pause } from 'node:timers/promises';
import type { TestSystem } from '#testing';
import PostalMime from 'postal-mime';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';

/** The links of one person's message, as paths of the gateway. */
interface Mailbox {
  email: string;
  pixel: string;
  oneClick: string;
}

/** Of the people who got the message. */
const unsubscribing = 0.1;
const openEveryMs = 25;

/**
 * Recipients who open their message again and again, and some who unsubscribe with one click, until they are stopped.
 */
export class RecipientLoad {
  readonly #mailboxes: Mailbox[] = [];
  readonly #opens = new Map<string, number>();
  readonly #unsubscribed = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #failures: string[] = [];
  #stopping = false;
  readonly #opening: Promise<void>;

  constructor(
    private readonly system: TestSystem,
    private readonly random: () => number,
  ) {
    this.#opening = this.#openOnAndOn();
  }

  /** How often each person's pixel was answered. */
  get opens(): ReadonlyMap<string, number> {
    return this.#opens;
  }

  /** Whose unsubscription was answered. */
  get unsubscribed(): ReadonlySet<string> {
    return this.#unsubscribed;
  }

  /** Gives a person the message as it came over the wire. */
  receive(email: string, raw: string): void {
    this.#track(
      PostalMime.parse(Buffer.from(raw, 'latin1')).then(async ({ headers, html }) => {
        const listed = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
        const oneClick = pathOf(/<(https?:[^>]+)>/.exec(listed)?.[1]);
        const mailbox = { email, oneClick, pixel: pathOf(/https?:[^"]+\/o\/[^"]+/.exec(html ?? '')?.[0]) };
        this.#mailboxes.push(mailbox);
        if (this.random() < unsubscribing) await this.#unsubscribe(mailbox);
      }),
    );
  }

  /** Opens every message that arrived, each as often as its recipient does. */
  async openEach(times: (email: string) => number): Promise<void> {
    await Promise.all(this.#underWay);
    for (const mailbox of this.#mailboxes) for (let n = times(mailbox.email); n > 0; n--) await this.#open(mailbox);
  }

  /** @returns what went wrong for them */
  async stop(): Promise<string[]> {
    this.#stopping = true;
    await this.#opening;
    await Promise.all(this.#underWay);
    return this.#failures;
  }

  async #openOnAndOn(): Promise<void> {
    while (!this.#stopping) {
      const mailbox = this.#mailboxes[Math.floor(this.random() * this.#mailboxes.length)];
      if (mailbox) this.#track(this.#open(mailbox));
      await pause(openEveryMs);
    }
  }

  async #open({ email, pixel }: Mailbox): Promise<void> {
    const response = await fetch(this.system.url() + pixel);
    if (response.status !== 200) throw new Error(`the pixel was answered ${response.status}`);
    this.#opens.set(email, (this.#opens.get(email) ?? 0) + 1);
  }

  async #unsubscribe({ email, oneClick }: Mailbox): Promise<void> {
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    await retryUntilAnswered(
      'unsubscribing',
      async () => {
        const { status } = await fetch(this.system.url() + oneClick, { method: 'POST', body });
        if (status !== 200) throw new Error(`answered ${status}`);
      },
      60_000,
    );
    this.#unsubscribed.add(email);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => void this.#failures.push(String(error)))
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }
}

function pathOf(url: string | undefined): string {
  if (url === undefined) throw new Error('the message has no such link');
  return new URL(url).pathname;
}
