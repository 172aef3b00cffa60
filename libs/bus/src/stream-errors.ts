import { TimeoutError } from '@nats-io/transport-node';

/** Milliseconds for a request to JetStream: one that no server leads is lost, and repeated sooner than after the client's 5 s. */
export const apiTimeoutMs = 3_000;

/** Milliseconds for the first tries of a request that may be repeated; the last one gets more. */
const triesMs = [1_000, 1_000];

/** Asks again soon when no server answers: a request to a stream or a consumer without a leader is lost. */
export async function askAgain<T>(ask: (timeoutMs: number) => Promise<T>): Promise<T> {
  for (const timeoutMs of triesMs) {
    try {
      return await ask(timeoutMs);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
    }
  }
  return await ask(apiTimeoutMs);
}

/** Whether a publication was refused because the stream or the server's store is full. */
export const isFull = (error: unknown): boolean =>
  /maximum (bytes|messages) exceeded|insufficient resources|no space left/i.test(String((error as Error).message));

/** Codes of the server: the account's limit, no suitable server of a cluster, resources and storage of the server. */
const shortOfStore = [10_002, 10_005, 10_023, 10_047];

/** Whether the server cannot reserve a stream's bytes, alone or on enough servers of a cluster. */
export const isShortOfStore = (error: unknown): boolean =>
  shortOfStore.includes((error as { code?: number }).code ?? 0);
