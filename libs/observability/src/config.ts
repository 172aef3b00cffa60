/**
 * Waits until the launcher sends the rest of the environment, which says that this process may begin; any other
 * supervisor has given it all.
 */
export async function environmentIsWhole(): Promise<void> {
  if (process.env.TIDINGS_LAUNCHED !== '1') return;
  const gone = () => process.exit(1);
  process.once('disconnect', gone);
  const { environment } = await new Promise<{ environment: Record<string, string> }>((resolve) =>
    process.once('message', (message) => resolve(message as never)),
  );
  process.off('disconnect', gone);
  Object.assign(process.env, environment);
}

/** Whether somebody collects traces, by OpenTelemetry's own variables; its SDK reads the others. */
export function tracesAreWanted(): boolean {
  const { OTEL_SDK_DISABLED, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = process.env;
  return OTEL_SDK_DISABLED !== 'true' && Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
