import type { Terminal } from '../terminal.js';

const barCells = 24;
/** A watcher's terminal is redrawn so often; a log gets a line so often. */
const redrawMs = 200;
const lineMs = 5_000;

/** What is known of an import under way. */
export interface ImportState {
  /** Of the file, read so far. */
  bytes: number;
  sizeBytes: number;
  imported: number;
  updated: number;
  refused: number;
}

/** Shows how far an import is: a bar where the line can be redrawn, a line now and then elsewhere. */
export class ImportProgress {
  readonly #started: number;
  #shownAt: number;

  /** @param clock milliseconds from any beginning */
  constructor(
    private readonly terminal: Terminal,
    private readonly clock = () => performance.now(),
  ) {
    this.#started = this.#shownAt = clock();
  }

  show(state: ImportState): void {
    const now = this.clock();
    if (now - this.#shownAt < (this.terminal.redraws ? redrawMs : lineMs)) return;
    this.#shownAt = now;
    const perSecond = Math.round((rowsOf(state) * 1000) / (now - this.#started));
    const text = `${factsOf(state)}, ${count(perSecond)} rows/s`;
    if (this.terminal.redraws) this.terminal.redraw(`${bar(state)} ${text}`);
    else this.terminal.note(text);
  }

  end(): void {
    if (this.terminal.redraws) this.terminal.redraw('');
  }
}

const share = ({ bytes, sizeBytes }: ImportState) => (sizeBytes > 0 ? Math.min(1, bytes / sizeBytes) : 0);

function bar(state: ImportState): string {
  const full = Math.floor(share(state) * barCells);
  return `[${'#'.repeat(full)}${'.'.repeat(barCells - full)}]`;
}

const rowsOf = ({ imported, updated, refused }: ImportState) => imported + updated + refused;

/** How far and how many, as a person reads it. */
export function factsOf(state: ImportState): string {
  const { imported, updated, refused } = state;
  const percent = Math.floor(share(state) * 100);
  return `${percent} %, ${count(rowsOf(state))} rows: ${count(imported)} new, ${count(updated)} updated, ${count(refused)} refused`;
}

const count = (n: number): string => n.toLocaleString('en');
