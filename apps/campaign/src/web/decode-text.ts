/** Decodes bytes by the charset of the header, else of the page itself, else as UTF-8. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const inPage = bytes.toString('latin1', 0, 2_048);
  const label =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(inPage)?.[1];
  try {
    return decodeAs(label ?? 'utf-8', bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Decodes as a stream: Node 20's fast path decodes windows-1252 (also the web's Latin-1) without its quotes, dashes and
 * €.
 */
function decodeAs(label: string, bytes: Buffer): string {
  const decoder = new TextDecoder(label);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}
