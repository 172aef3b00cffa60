/** Longer than any sensible reply; a peer that never ends one must not fill the memory. */
const replyLengthMax = 64 * 1024;

/** Puts the replies of an SMTP server together from what arrives (RFC 5321 4.2.1: the last line has a space after the code). */
export class ReplyReader {
  #partial = '';
  #lines: string[] = [];
  #length = 0;

  /** @returns the replies that are complete now, their lines joined by line feeds; null when the peer talks nonsense */
  read(chunk: Buffer): string[] | null {
    const lines = (this.#partial + chunk.toString('latin1')).split('\n');
    this.#partial = lines.pop()!;
    const replies: string[] = [];
    for (const line of lines) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      this.#lines.push(text);
      this.#length += text.length;
      if (/^\d{3}-/.test(text)) continue;
      if (!/^\d{3}(?: |$)/.test(text)) return null;
      replies.push(decode(this.#lines.join('\n')));
      this.#lines = [];
      this.#length = 0;
    }
    return this.#length + this.#partial.length > replyLengthMax ? null : replies;
  }
}

/** Replies are ASCII; some servers send UTF-8 all the same. */
const decode = (text: string): string => (/[^\p{ASCII}]/u.test(text) ? Buffer.from(text, 'latin1').toString() : text);
