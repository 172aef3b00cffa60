import type { AuditEntry, Scope } from '#contracts';
import type { Outcome } from '#tool-call';

/** Milliseconds that an entry waits for others of its batch. */
const gatherMs = 200;
const pauseMs = 500;
const batchMax = 1_000;
/** Entries kept while the domain service is unavailable; of calls beyond that only the log line remains. */
const waitingMax = 100_000;

interface Options {
  newId: () => string;
  deliver(entries: AuditEntry[]): Promise<void>;
  onTrouble(error: unknown, waiting: number): void;
  onLost(entry: AuditEntry): void;
}

/** A call with its outcome. */
export interface AuditedCall extends Omit<AuditEntry, 'id' | 'target' | 'outcome'> {
  scope: Scope;
  input: unknown;
  outcome: Outcome;
}

/** Records calls that change something, in batches after the response, so that no call waits for it. */
export class AuditLog {
  #waiting: AuditEntry[] = [];
  #running: Promise<void> | null = null;
  #stopAt = Number.POSITIVE_INFINITY;
  #wake: (() => void) | null = null;

  constructor(private readonly options: Options) {}

  /** Number of pending entries. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Adds an entry for a call, unless its scope is `read`. */
  note({ scope, input, outcome, ...facts }: AuditedCall): void {
    if (scope === 'read') return;
    const entry = {
      ...facts,
      id: this.options.newId(),
      target: targetOf(input, outcome.ok ? outcome.data : null),
      outcome: outcome.ok ? 'OK' : (outcome.error.reason ?? outcome.error.code),
    };
    if (this.#waiting.length >= waitingMax) return this.options.onLost(entry);
    this.#waiting.push(entry);
    this.#running ??= this.#run();
  }

  /** Sends pending entries for at most `withinMs`. @returns number of entries lost */
  async stop(withinMs: number): Promise<number> {
    this.#stopAt = Date.now() + withinMs;
    this.#wake?.();
    await this.#running;
    return this.#waiting.length;
  }

  async #run(): Promise<void> {
    await this.#pause(gatherMs);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchMax);
      try {
        await this.options.deliver(batch);
        this.#waiting = this.#waiting.slice(batch.length);
      } catch (error) {
        this.options.onTrouble(error, this.#waiting.length);
        if (Date.now() >= this.#stopAt) break;
        await this.#pause(pauseMs);
      }
    }
    this.#running = null;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, Math.max(0, this.#stopAt - Date.now())));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Fields that name a record; the record itself comes before related ones. */
const ids = [
  ...['campaignId', 'workflowId', 'segmentId', 'snippetId', 'domainId', 'tagId', 'fieldId', 'groupId', 'imageId'],
  ...['exportId', 'senderId', 'subscriberId', 'id', 'campaign', 'workflow', 'segment', 'snippet', 'domain', 'tag'],
  ...['customField', 'group', 'image', 'sender', 'webDomain', 'subscriber', 'event', 'run'],
];
const labels = ['email', 'to', 'name', 'subject'];

/** The id of the record in the call's parameters or result, else its name in the parameters; null without either. */
export const targetOf = (input: unknown, data: unknown): string | null =>
  firstOf(input, ids) ?? firstOf(data, ids) ?? firstOf(input, labels);

function firstOf(value: unknown, names: readonly string[]): string | null {
  if (value === null || typeof value !== 'object') return null;
  const fields = value as Record<string, unknown>;
  for (const name of names) {
    const found = fields[name];
    const text = typeof found === 'string' ? found : idOf(found);
    if (text) return text.slice(0, 320);
  }
  return null;
}

/** A result holds the record itself under its noun. */
const idOf = (value: unknown): string | null => {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : null;
};
