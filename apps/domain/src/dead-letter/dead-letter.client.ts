import type { Client, ServiceBus } from '#bus';
import { deadLetterRequests } from '#contracts';
import type { DeadLetter, Service } from '#contracts';
import { RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';

const services: readonly Service[] = ['subscriber', 'campaign', 'workflow', 'delivery', 'domain'];

type Requests = Client<ReturnType<typeof deadLetterRequests>>;
type OwnedLetter = Omit<DeadLetter, 'organizationId'> & { service: Service };

/** Asks every service of the caller's cell about the dead letters of the caller's organization. */
export class DeadLetterClient {
  constructor(private readonly bus: ServiceBus) {}

  of(service: Service): Requests {
    return this.bus.client(deadLetterRequests(service));
  }

  /**
   * Lists one page over all services, or of one.
   * @returns dead letters in the order of their ids, and the services that did not respond
   */
  async list(
    { service, event, after, limit }: { service?: Service; event?: string; after: string | null; limit: number },
    caller: Caller,
  ): Promise<{ deadLetters: OwnedLetter[]; total: number; unavailable: Service[] }> {
    const asked = { after, limit, ...(event !== undefined && { event }) };
    const { answers, unavailable } = await this.#askAll(service ? [service] : services, (requests) =>
      requests.list_own_dead_letters(asked, caller),
    );
    const deadLetters = answers.flatMap((answer) =>
      answer.deadLetters.map((letter) => ownedBy(answer.service, letter)),
    );
    deadLetters.sort((a, b) => (a.id < b.id ? -1 : 1));
    const total = answers.reduce((sum, answer) => sum + answer.total, 0);
    return { deadLetters: deadLetters.slice(0, limit), total, unavailable };
  }

  async get(id: string, caller: Caller) {
    const { answers, unavailable } = await this.#askAll(services, (requests) =>
      requests.find_own_dead_letter({ id }, caller),
    );
    for (const { service, deadLetter } of answers) if (deadLetter) return ownedBy(service, deadLetter);
    throw notFound(id, unavailable);
  }

  async group(ids: readonly string[], caller: Caller): Promise<Map<Service, string[]>> {
    const asked = { ids: [...ids] };
    const { answers, unavailable } = await this.#askAll(services, (requests) =>
      requests.list_own_dead_letters(asked, caller),
    );
    const found = new Map(
      answers.map(({ service, deadLetters }) => [service, deadLetters.map(({ id }) => id)] as const),
    );
    const known = new Set([...found.values()].flat());
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw notFound(missing, unavailable);
    return new Map([...found].filter(([, own]) => own.length > 0));
  }

  async #askAll<A extends object>(
    asked: readonly Service[],
    ask: (requests: Requests) => Promise<A>,
  ): Promise<{ answers: (A & { service: Service })[]; unavailable: Service[] }> {
    const unavailable: Service[] = [];
    const answers = await Promise.all(
      asked.map(async (service) => {
        try {
          return [{ ...(await ask(this.of(service))), service }];
        } catch (error) {
          if (!(error instanceof RemoteFailure)) throw error;
          unavailable.push(service);
          return [];
        }
      }),
    );
    return { answers: answers.flat(), unavailable };
  }
}

export function ownedBy<L extends DeadLetter>(service: Service, { organizationId: _, ...letter }: L) {
  return { ...letter, service };
}

const notFound = (id: string, [unavailable]: readonly Service[]): ToolError =>
  unavailable === undefined
    ? new ToolError('DEAD_LETTER_NOT_FOUND', { id })
    : new ToolError('SERVICE_UNAVAILABLE', { service: unavailable });
