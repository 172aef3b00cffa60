const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a message with this Origin header is accepted: without a page, from a page of this gateway or this machine,
 * or from a program with a scheme of its own. Other pages may use DNS rebinding to act for their reader (MCP,
 * Streamable HTTP, security).
 * @param origin the header's value
 * @param ours an address of the gateway
 */
export function mayComeFrom(origin: string | undefined, ours: string): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  return !/^https?:$/.test(protocol) || host === new URL(ours).host || thisMachine.includes(hostname);
}
