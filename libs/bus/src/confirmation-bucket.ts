import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import { confirmationWindowMs } from '#tool-call';
import type { ConfirmationRecord, ConfirmationStore, StoredConfirmation } from '#tool-call';
import type { Bus } from './bus.js';

/** JetStream's answer to a write against a revision that is not the last. */
const wrongRevision = 10071;
/** Most confirmations come to the gateway that asked for them, within seconds. */
const rememberedMax = 1_000;

export class ConfirmationBucket implements ConfirmationStore {
  #bucket: Promise<KV> | null = null;
  readonly #remembered = new Map<string, StoredConfirmation>();
  #disconnects = 0;

  constructor(
    private readonly bus: Bus,
    private readonly replicas = 1,
  ) {}

  /** After an error the next call opens the bucket again, which recreates a lost one. */
  async #on<T>(work: (bucket: KV) => Promise<T>): Promise<T> {
    this.#bucket ??= new Kvm(this.bus.connection).create(`${this.bus.namespace}_confirmations`, {
      ttl: confirmationWindowMs,
      history: 1,
      replicas: this.replicas,
    });
    try {
      return await work(await this.#bucket);
    } catch (error) {
      if ((error as { code?: number }).code !== wrongRevision) this.#bucket = null;
      throw error;
    }
  }

  recall(key: string): StoredConfirmation | null {
    // A server that was unreachable may have lost its store; revisions then restart.
    if (this.#disconnects !== this.bus.disconnects) this.#remembered.clear();
    this.#disconnects = this.bus.disconnects;
    return this.#remembered.get(key) ?? null;
  }

  async read(key: string): Promise<StoredConfirmation | null> {
    const entry = await this.#on((bucket) => bucket.get(key));
    // A deleted key answers an entry, so the operation decides.
    if (entry?.operation !== 'PUT') return null;
    return { record: entry.json<ConfirmationRecord>(), revision: entry.revision };
  }

  async write(key: string, record: ConfirmationRecord, revision: number | null): Promise<boolean> {
    const text = JSON.stringify(record);
    try {
      const written = await this.#on((bucket) =>
        revision === null ? bucket.create(key, text) : bucket.update(key, text, revision),
      );
      this.#remember(key, { record, revision: written });
      return true;
    } catch (error) {
      this.#remembered.delete(key);
      if ((error as { code?: number }).code === wrongRevision) return false;
      throw error;
    }
  }

  #remember(key: string, stored: StoredConfirmation): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, stored);
    if (this.#remembered.size > rememberedMax) this.#remembered.delete(this.#remembered.keys().next().value!);
  }
}
