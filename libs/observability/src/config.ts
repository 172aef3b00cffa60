/** Whether traces are exported, by OpenTelemetry's own variables; its SDK reads the others. */
export function tracesAreWanted(): boolean {
  const { OTEL_SDK_DISABLED, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = process.env;
  return OTEL_SDK_DISABLED !== 'true' && Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
