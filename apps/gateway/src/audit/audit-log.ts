import { BatchBuffer } from '#concurrency';
import type { AuditEntry, Scope } from '#contracts';
import type { Outcome } from '#tool-call';

/** Milliseconds that an entry waits for others of its batch. */
const gatherMs = 200;
const batchMax = 1_000;
/** Entries kept while the domain service is unavailable; of calls beyond that only the log line remains. */
const sizeMax = 100_000;

interface Options {
  newId: () => string;
  deliver(entries: readonly AuditEntry[]): Promise<unknown>;
  onFailure(error: unknown, waiting: number): void;
  onLost(entry: AuditEntry): void;
}

export interface AuditedCall extends Omit<AuditEntry, 'id' | 'target' | 'outcome'> {
  scope: Scope;
  input: unknown;
  outcome: Outcome;
}

/** Records calls that change something, in batches after the response, so that no call waits for it. */
export class AuditLog {
  readonly #entries: BatchBuffer<AuditEntry>;

  constructor(private readonly options: Options) {
    const deliver = (entries: readonly AuditEntry[]) => {
      const delivered = options.deliver(entries);
      return entries.map(() => delivered);
    };
    this.#entries = new BatchBuffer({ ...options, deliver, batchMax, sizeMax, gatherMs });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds an entry for a call, unless its scope is `read`. */
  note({ scope, input, outcome, ...facts }: AuditedCall): void {
    if (scope === 'read') return;
    this.#entries.add({
      ...facts,
      id: this.options.newId(),
      target: targetOf(input, outcome.ok ? outcome.data : null),
      outcome: outcome.ok ? 'OK' : (outcome.error.reason ?? outcome.error.code),
    });
  }

  /** Sends pending entries for at most `withinMs`. @returns number of entries lost */
  async stop(withinMs: number): Promise<number> {
    return await this.#entries.stop(withinMs);
  }
}

/** Fields that name a record; the record itself comes before related ones. */
const ids = [
  ...['campaignId', 'workflowId', 'segmentId', 'snippetId', 'domainId', 'tagId', 'fieldId', 'groupId', 'imageId'],
  ...['exportId', 'senderId', 'tokenId', 'userId', 'invitationId', 'approvalId', 'organizationId'],
  ...['subscriberId', 'id', 'campaign', 'workflow', 'segment', 'snippet', 'domain', 'tag'],
  ...['customField', 'group', 'image', 'sender', 'webDomain', 'subscriber', 'event', 'run', 'organization'],
  ...['member', 'invitation', 'approval'],
];
const labels = ['email', 'to', 'name', 'subject', 'plan'];

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
