import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { uuidOf } from '#database';
import type { Logger } from '#observability';
import type { LeasedChunk } from '../chunk/chunk.js';
import { noteLease, noteSubjects } from './journal-lines.js';
import type { JournalEntry, LeaseJournal, NotedSubject } from './journal-lines.js';
import { readJournal } from './read-journal.js';

/** The journal of an earlier lease whose process has ended. */
export interface EarlierLease extends LeaseJournal {
  name: string;
  fence: string;
}

const bootIdFile = '/proc/sys/kernel/random/boot_id';
const createNew = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;
const socketSuffix = '.sock';
/** Others have taken over by then, and retried. */
const keptMs = 7 * 86_400_000;
const sweepEveryMs = 86_400_000;

/** The open journal of a lease that this process holds. */
export class ChunkJournal {
  constructor(
    private readonly file: number,
    private readonly onEnd: (isRecorded: boolean) => void,
  ) {}

  /** Where the attempt of a position is noted. */
  entry(position: number, relayId: number): JournalEntry {
    return { file: this.file, position, relayId };
  }

  noteSubjects(subjects: ReadonlyMap<number, NotedSubject>): void {
    noteSubjects(this.file, subjects);
  }

  /**
   * To be called once no attempt of the lease is in progress.
   * @param isRecorded whether all that happened is in the ledger; else the journal stays for who takes over
   */
  end(isRecorded: boolean): void {
    closeSync(this.file);
    this.onEnd(isRecorded);
  }
}

/**
 * The attempt journals of this machine: a file for each lease of a chunk, with a line before each dot and after each
 * reply. A process that takes over a chunk learns from it which messages were never begun and what the relay answered,
 * if it is certain that the process has ended and the machine has not: the page cache keeps what a dead process wrote.
 * Each process listens at a Unix socket, which refuses connections as soon as the process has ended, and not while it is
 * frozen. Where there is no folder, or anything fails, the marks alone say what is in doubt.
 */
export class AttemptJournal {
  #boot = '';
  /** The folder, open: through it the address of a socket is short (at most 107 bytes, unix(7)). */
  #folder: number | null = null;
  #server: Server | null = null;
  #open = 0;
  #sweeper: NodeJS.Timeout | null = null;

  readonly #path: string | null;

  /** @param dataDir in which its folder is, if there is one @param owner the uuid of this process's leases */
  constructor(
    dataDir: string | undefined,
    private readonly owner: string,
    private readonly log: Logger,
  ) {
    this.#path = dataDir === undefined ? null : join(dataDir, 'attempts');
  }

  /** Begins to listen, and removes what processes that ended left and no take-over needs. Never rejects. */
  async start(): Promise<void> {
    const folder = this.#path;
    if (folder === null) return;
    let opened: number | null = null;
    try {
      this.#boot = readFileSync(bootIdFile, 'utf8').trim();
      makeFolder(folder);
      opened = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
      this.#server = await listen(`/proc/self/fd/${opened}/${this.owner}${socketSuffix}`);
      this.#folder = opened;
    } catch (error) {
      if (opened !== null) closeSync(opened);
      this.log.info({ err: error, folder }, 'no attempt journal: after a crash all marked messages are in doubt');
      return;
    }
    await this.#sweep(folder);
    this.#sweeper = setInterval(() => void this.#sweep(folder), sweepEveryMs).unref();
  }

  /** Begins the journal of a lease; null without one. */
  begin(page: LeasedChunk): ChunkJournal | null {
    if (this.#folder === null) return null;
    const path = join(this.#path!, `${prefixOf(page)}${page.fence}`);
    try {
      const file = openSync(path, createNew, 0o600);
      noteLease(file, this.#boot, this.owner);
      this.#open += 1;
      return new ChunkJournal(file, (isRecorded) => {
        if (!isRecorded) return;
        this.#open -= 1;
        rmSync(path, { force: true });
      });
    } catch (error) {
      this.log.warn({ err: error, path }, 'cannot begin the attempt journal of a chunk');
      return null;
    }
  }

  /** @returns the journals of earlier leases of a chunk that say all that happened */
  async earlier(page: LeasedChunk): Promise<EarlierLease[]> {
    if (this.#folder === null) return [];
    const prefix = prefixOf(page);
    const found: EarlierLease[] = [];
    try {
      for (const name of readdirSync(this.#path!).filter((one) => one.startsWith(prefix))) {
        const fence = name.slice(prefix.length);
        const journal = readJournal(readFileSync(join(this.#path!, name), 'utf8'));
        if (journal?.boot === this.#boot && (await this.#hasEnded(journal.owner)))
          found.push({ ...journal, name, fence });
      }
    } catch (error) {
      this.#warn(error);
    }
    return found;
  }

  /** Removes journals whose attempts are in the ledger. */
  forget(leases: readonly EarlierLease[]): void {
    for (const { name } of leases) rmSync(join(this.#path!, name), { force: true });
  }

  /** Ends the listening, unless journals remain that say what the ledger does not. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (this.#sweeper) clearInterval(this.#sweeper);
    if (this.#open > 0 || !server) return;
    this.#server = null;
    await new Promise<void>((resolve) => server.close(() => resolve()));
    closeSync(this.#folder!);
    this.#folder = null;
  }

  #warn(error: unknown): void {
    this.log.warn({ err: error }, 'cannot read the attempt journals of ended processes');
  }

  /** Whether a process certainly has: its socket is there, and none listens. */
  async #hasEnded(owner: string): Promise<boolean> {
    return await new Promise((resolve) => {
      const socket = connect(`/proc/self/fd/${this.#folder}/${owner}${socketSuffix}`);
      socket.once('connect', () => (socket.destroy(), resolve(false)));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
    });
  }

  /** Removes journals that are old or of before the machine started, and sockets of ended processes without a journal. */
  async #sweep(folder: string): Promise<void> {
    try {
      await this.#removeUseless(folder);
    } catch (error) {
      // Another process may remove a file meanwhile. What stays is for the next time.
      this.#warn(error);
    }
  }

  async #removeUseless(folder: string): Promise<void> {
    const names = readdirSync(folder);
    const owners = new Set<string>();
    for (const name of names.filter((one) => !one.endsWith(socketSuffix))) {
      const path = join(folder, name);
      const journal = statSync(path).mtimeMs < Date.now() - keptMs ? null : readJournal(readFileSync(path, 'utf8'));
      if (journal?.boot === this.#boot) owners.add(journal.owner);
      else rmSync(path, { force: true });
    }
    for (const name of names.filter((one) => one.endsWith(socketSuffix))) {
      const owner = name.slice(0, -socketSuffix.length);
      if (!owners.has(owner) && (await this.#hasEnded(owner))) rmSync(join(folder, name), { force: true });
    }
  }
}

const prefixOf = ({ sendId, pageNo }: LeasedChunk): string => `${uuidOf('send', sendId)!}.${pageNo}.`;

/** Not with all folders above it: a missing DATA_DIR is a mistake, and Node.js makes them without end in /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return server;
}
