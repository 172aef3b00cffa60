import { jetstreamManager, StorageType } from '@nats-io/jetstream';
import type { Bus } from './bus.js';
import { apiTimeoutMs, isShortOfStore } from './stream-errors.js';

/** Share of the store of NATS that the limits of all streams may add up to; the rest is for buckets and deleted messages. */
export const storeShareMax = 0.8;

export interface StoreRoom {
  /** Bytes that the streams of the account may hold together. */
  bytes: number;
  /** Whether they are at most that share of the store. */
  isEnough: boolean;
}

/**
 * Returns whether the limits of all streams leave enough of the server's store. No client may read the size of the
 * store, and the server reserves the limit of a stream: so this reserves the missing share for a moment.
 * @param planned bytes by name for streams that do not exist yet, or for which the server had not that much left
 */
export async function checkStoreRoom(
  { connection, namespace }: Pick<Bus, 'connection' | 'namespace'>,
  planned: Readonly<Record<string, number>> = {},
): Promise<StoreRoom> {
  const { streams } = await jetstreamManager(connection, { timeout: apiTimeoutMs });
  const probe = `${namespace}_store_probe`;
  const bytesOf = new Map(Object.entries(planned).map(([name, bytes]) => [`${namespace}_${name}`, bytes]));
  let [reserved, replicas] = [0, 1];
  for await (const { config } of streams.list()) {
    const { name, storage, max_bytes: bytes, num_replicas: copies } = config;
    if (name === probe || storage !== StorageType.File || bytes <= 0) continue;
    reserved += bytes;
    bytesOf.set(name, Math.max(bytes, bytesOf.get(name) ?? 0));
    if (name.startsWith(`${namespace}_`)) replicas = Math.max(replicas, copies);
  }
  const bytes = [...bytesOf.values()].reduce((sum, one) => sum + one, 0);
  const missing = Math.ceil(bytes / storeShareMax) - reserved;
  if (missing <= 0) return { bytes, isEnough: true };
  const remove = () => streams.delete(probe).catch(() => false);
  // That of a process which ended in between.
  await remove();
  try {
    const subjects = [`${namespace}.store.probe`];
    await streams.add({ name: probe, subjects, max_bytes: missing, num_replicas: replicas });
    return { bytes, isEnough: true };
  } catch (error) {
    if (!isShortOfStore(error)) throw error;
    return { bytes, isEnough: false };
  } finally {
    await remove();
  }
}
