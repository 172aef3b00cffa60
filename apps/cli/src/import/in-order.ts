import type { Batch } from './batch.js';

/**
 * Sends several batches at a time, but never two that name the same address: of repeated rows the last one must win.
 * @throws the error of `send`, once the batches in progress have ended
 */
export async function sendInOrder(
  batches: AsyncIterable<Batch>,
  send: (batch: Batch) => Promise<void>,
  atOnce: number,
): Promise<void> {
  const underWay = new Map<Promise<void>, Set<string>>();
  try {
    for await (const batch of batches) {
      const addresses = new Set(batch.rows.map(({ email }) => email.toLowerCase()));
      const mustWait = () =>
        underWay.size >= atOnce ||
        [...underWay.values()].some((others) => [...others].some((one) => addresses.has(one)));
      while (mustWait()) await Promise.race(underWay.keys());
      const sent: Promise<void> = send(batch).finally(() => underWay.delete(sent));
      underWay.set(sent, addresses);
    }
    await Promise.all(underWay.keys());
  } finally {
    await Promise.allSettled(underWay.keys());
  }
}
