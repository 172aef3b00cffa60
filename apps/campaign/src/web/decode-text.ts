/** Turns bytes into text by the charset of the header, else of the page itself, else as UTF-8. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const inPage = bytes.toString('latin1', 0, 2_048);
  const label =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(inPage)?.[1];
  try {
    return new TextDecoder(label ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
