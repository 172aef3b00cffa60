import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import { confirmationWindowMs } from '#tool-call';
import type { ConfirmationRecord, ConfirmationStore } from '#tool-call';
import type { Bus } from './bus.js';

/** JetStream's answer to a write against a revision that is not the last. */
const wrongRevision = 10071;

/** Pending confirmations in a JetStream bucket whose entries live as long as a code. */
export class ConfirmationBucket implements ConfirmationStore {
  #bucket: Promise<KV> | null = null;

  constructor(
    private readonly bus: Bus,
    private readonly replicas = 1,
  ) {}

  /** Works on the bucket; after trouble it is opened anew next time, and so made again where it was lost. */
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

  async read(key: string): Promise<{ record: ConfirmationRecord; revision: number } | null> {
    const entry = await this.#on((bucket) => bucket.get(key));
    // A deleted key answers an entry, so the operation decides.
    if (entry?.operation !== 'PUT') return null;
    return { record: entry.json<ConfirmationRecord>(), revision: entry.revision };
  }

  async write(key: string, record: ConfirmationRecord, revision: number | null): Promise<boolean> {
    const text = JSON.stringify(record);
    try {
      await this.#on((bucket) => (revision === null ? bucket.create(key, text) : bucket.update(key, text, revision)));
      return true;
    } catch (error) {
      if ((error as { code?: number }).code === wrongRevision) return false;
      throw error;
    }
  }
}
