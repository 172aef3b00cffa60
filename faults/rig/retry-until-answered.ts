import { setTimeout as pause } from 'node:timers/promises';

/** Asks until there is an answer: the system may be struck at any moment. @throws Error with the last cause */
export async function retryUntilAnswered<T>(what: string, ask: () => Promise<T>, withinMs: number): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what}: ${String(error)}`, { cause: error });
      await pause(200);
    }
  }
}
