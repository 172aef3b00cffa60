/**
 * Waits until the launcher sends the rest of the environment, which says that this process may begin; any other
 * supervisor has given it all.
 */
export async function receiveEnvironment(): Promise<void> {
  if (process.env.TIDINGS_LAUNCHED !== '1') return;
  const { environment } = await new Promise<{ environment: Record<string, string> }>((resolve) =>
    process.once('message', (message) => resolve(message as never)),
  );
  Object.assign(process.env, environment);
}
