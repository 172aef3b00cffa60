/** Milliseconds for a request to JetStream: one that no server leads is lost, and repeated sooner than after the client's 5 s. */
export const apiTimeoutMs = 3_000;

/** Whether a publication was refused because the stream or the server's store is full. */
export const isFull = (error: unknown): boolean =>
  /maximum (bytes|messages) exceeded|insufficient resources|no space left/i.test(String((error as Error).message));

/** Codes of the server: the account's limit, no suitable server of a cluster, resources and storage of the server. */
const shortOfStore = [10_002, 10_005, 10_023, 10_047];

/** Whether the server cannot reserve a stream's bytes, alone or on enough servers of a cluster. */
export const isShortOfStore = (error: unknown): boolean =>
  shortOfStore.includes((error as { code?: number }).code ?? 0);
