const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a message with this Origin header may come in: from no page, a page of ours, one that this machine serves, or a
 * program that shows pages of its own (its scheme says so). Others could be pages that had their name lead here, to speak in
 * the place of their reader (MCP, Streamable HTTP, security).
 * @param origin as the header has it
 * @param ours an address of the gateway's
 */
export function mayComeFrom(origin: string | undefined, ours: string): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  return !/^https?:$/.test(protocol) || host === new URL(ours).host || thisMachine.includes(hostname);
}
