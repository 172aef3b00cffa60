/**
 * Awaits a condition, asking every `everyMs`.
 * @throws Error naming the condition after `withinMs`
 */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  withinMs = 40_000,
  everyMs = 25,
): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    if (await condition()) return;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
