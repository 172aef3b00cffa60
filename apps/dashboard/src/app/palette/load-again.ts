const waitsMs = [250, 1_000, 3_000];

/** A load that is repeated where a file did not arrive. @throws the last failure */
export function loadAgain<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (const ms of waitsMs) {
      try {
        return await load();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
    }
    return await load();
  };
}
