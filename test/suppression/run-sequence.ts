import type { Harness, Tenant } from '../harness/harness.js';
import { SuppressionFixture } from './suppression-fixture.js';
import type { SentMail } from './suppression-fixture.js';
import { SuppressionModel } from './suppression-model.js';
import type { Instant, Mail } from './suppression-model.js';
import { addresses, describeStep, softBounces } from './suppression-steps.js';
import type { Sequence, Step } from './suppression-steps.js';

const hardBounce = { kind: 'BOUNCED', status: '5.1.1', text: '550 5.1.1 No such user' } as const;

/** Does steps on the services and in the model, and compares whom they would mail. */
class SequenceRun {
  /** Mails that no report has answered yet; a mail server reports once. */
  readonly #mails: { sent: SentMail; mail: Mail }[] = [];
  /** What the next delivery applies: choices first, then what delivery reports, in order. */
  readonly #choices: (() => Promise<void>)[] = [];
  readonly #reports: (() => void)[] = [];

  constructor(
    private readonly services: SuppressionFixture,
    private readonly model: SuppressionModel,
    private readonly emails: readonly string[],
  ) {}

  /** @throws Error when services and model disagree */
  async check(): Promise<void> {
    const [mailable, suppressed] = [await this.services.mailable(), await this.services.suppressed([...this.emails])];
    const expected = {
      mailable: this.model.mailable(),
      suppressed: this.emails.filter((email) => this.model.isSuppressed(email)).sort(),
    };
    const found = { mailable, suppressed };
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  }

  async deliver(): Promise<void> {
    for (const apply of this.#choices.splice(0)) await apply();
    await this.services.deliver();
    for (const apply of this.#reports.splice(0)) apply();
  }

  async do(step: Step): Promise<void> {
    const now = await this.#tick();
    const { services, model } = this;
    switch (step.do) {
      case 'deliver':
        return await this.deliver();
      case 'erase':
        return await services.erase();
      case 'send':
        for (const sent of await services.send()) this.#sent(sent);
        return await this.check();
      case 'rename': {
        const [from, to] = [this.#emailOf(step.address), this.#emailOf(step.to)];
        await services.call('update_subscriber', { subscriber: from, email: to });
        return model.rename(from, to);
      }
      case 'leave':
      case 'back':
      case 'hard':
      case 'complain':
        return await this.#answer(step, now);
      case 'soft':
        return await this.#bounceSoftly(step, now);
      default:
        return await this.#act(step);
    }
  }

  /** What an organization does with one address. */
  async #act(step: Extract<Step, { address: number }>): Promise<void> {
    const { services, model } = this;
    const email = this.#emailOf(step.address);
    switch (step.do) {
      case 'add':
        await services.call('add_subscriber', { email, resubscribe: step.resubscribe });
        return model.add(email, { via: 'add', resubscribe: step.resubscribe });
      case 'import':
        await services.call('import_subscribers', { subscribers: [{ email }], resubscribe: step.resubscribe });
        return model.add(email, { via: 'import', resubscribe: step.resubscribe });
      case 'resubscribe':
        await services.call('update_subscriber', { subscriber: email, resubscribe: true });
        return model.resubscribe(email);
      case 'transact': {
        const [sent, mail] = [await services.transact(email), model.transact(email)];
        if ((sent === null) !== (mail === null)) throw new Error(`${email} is refused by one of services and model`);
        if (sent) this.#sent(sent);
        return;
      }
      case 'delete':
        await services.delete(email);
        return model.delete(email);
      case 'reactivate': {
        const subscriberId = await services.idOf(email);
        if (subscriberId) await services.call('reactivate_subscriber', { subscriberId, force: true });
        return model.reactivate(email);
      }
      case 'unsubscribe':
        await services.call('unsubscribe', { email });
        return model.unsubscribe(email);
      case 'confirm': {
        const subscriberId = await services.idOf(email);
        if (subscriberId) await services.confirm(subscriberId);
        const holder = model.holder(email);
        if (holder) model.confirm(holder.id);
        return;
      }
      case 'soft':
      case 'rename':
    }
  }

  /** What comes back of one mail. */
  async #answer(step: Extract<Step, { mail: number }>, now: Instant): Promise<void> {
    if (this.#mails.length === 0) return;
    const place = step.mail % this.#mails.length;
    const { sent, mail } = this.#mails[place]!;
    const { services, model } = this;
    switch (step.do) {
      case 'leave': {
        if (step.late) {
          const at = new Date(Date.now());
          this.#choices.push(async () => {
            await services.leaveLate(sent, at);
            model.leave(mail.id, now);
          });
          return;
        }
        await services.leave(sent);
        return model.leave(mail.id, now);
      }
      case 'back':
        await services.back(sent);
        return model.back(mail.id);
      case 'hard':
      case 'complain': {
        this.#mails.splice(place, 1);
        await services.report(sent, step.do === 'hard' ? hardBounce : { kind: 'COMPLAINED' }, step);
        this.#reports.push(() => (step.do === 'hard' ? model.bounceHard(mail, now) : model.complain(mail, now)));
      }
    }
  }

  async #bounceSoftly({ address, cause, times }: Extract<Step, { do: 'soft' }>, now: Instant): Promise<void> {
    const email = this.#emailOf(address);
    const [holder, subscriberId] = [this.model.holder(email), await this.services.idOf(email)];
    if (!holder || !subscriberId) return;
    const { counts, ...words } = softBounces[cause];
    const mail = { id: holder.id, address: email };
    for (let time = 0; time < times; time++) {
      const sent = await this.services.write(subscriberId, email);
      await this.services.report(sent, { kind: 'BOUNCED', ...words }, { byRecipient: false });
      if (counts) this.#reports.push(() => this.model.bounceSoft(mail, now));
    }
  }

  #emailOf(place: number): string {
    return this.emails[place]!;
  }

  #sent(sent: SentMail): void {
    this.#mails.push({ sent, mail: { id: this.model.holder(sent.email)!.id, address: sent.email } });
  }

  /** Instants of the services are milliseconds: each step has its own. */
  async #tick(): Promise<Instant> {
    const before = Date.now();
    while (Date.now() === before) await new Promise(setImmediate);
    return this.model.tick();
  }
}

let sequences = 0;

/**
 * Runs a sequence with addresses of its own.
 * @param organizations with double opt-in and without
 * @throws Error that lists the steps and says where services and model disagreed
 */
export async function runSequence(
  harness: Harness,
  organizations: { confirming: Tenant; plain: Tenant },
  { doubleOptIn, steps }: Sequence,
): Promise<void> {
  const mailDomain = `sequence${++sequences}.internal`;
  const services = new SuppressionFixture(harness, organizations[doubleOptIn ? 'confirming' : 'plain'], mailDomain);
  const emails = addresses.map((name) => `${name}@${mailDomain}`);
  const run = new SequenceRun(services, new SuppressionModel(doubleOptIn), emails);
  const done = [`double opt-in ${doubleOptIn ? 'on' : 'off'}`];
  try {
    for (const step of steps) {
      done.push(describeStep(step));
      await run.do(step);
    }
    done.push('at the end');
    await run.deliver();
    await run.check();
  } catch (error) {
    throw new Error(`${done.join('\n')}\n${(error as Error).message}`, { cause: error });
  }
}
