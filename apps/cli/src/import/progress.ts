import type { Terminal } from '../terminal.js';

const barCells = 24;
/** Intervals: a terminal is redrawn every 200 ms, a log gets a line every 5 s. */
const redrawMs = 200;
const lineMs = 5_000;

export interface ImportState {
  /** Bytes of the file read. */
  bytes: number;
  /** Size of the file; 0 for a stream, whose size is unknown. */
  sizeBytes: number;
  imported: number;
  updated: number;
  refused: number;
}

/** Shows the progress of an import: a bar where the line can be redrawn, else a line at intervals. */
export class ImportProgress {
  readonly #started: number;
  #shownAt: number;

  /** @param clock milliseconds since any start */
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
    if (this.terminal.redraws) this.terminal.redraw(bar(state) + text);
    else this.terminal.note(text);
  }

  end(): void {
    if (this.terminal.redraws) this.terminal.redraw('');
  }
}

const share = ({ bytes, sizeBytes }: ImportState) => Math.min(1, bytes / sizeBytes);

function bar(state: ImportState): string {
  if (state.sizeBytes === 0) return '';
  const full = Math.floor(share(state) * barCells);
  return `[${'#'.repeat(full)}${'.'.repeat(barCells - full)}] `;
}

const rowsOf = ({ imported, updated, refused }: ImportState) => imported + updated + refused;

/** Progress and counts as text; of a stream only the counts. */
export function factsOf(state: ImportState): string {
  const { imported, updated, refused, sizeBytes } = state;
  const percent = sizeBytes > 0 ? `${Math.floor(share(state) * 100)} %, ` : '';
  return `${percent}${count(rowsOf(state))} rows: ${count(imported)} new, ${count(updated)} updated, ${count(refused)} refused`;
}

const count = (n: number): string => n.toLocaleString('en');
