/**
 * Delays of the two wakes in milliseconds: work announced inside a transaction becomes visible with its commit, which a
 * busy machine delays.
 */
const afterMs = [30, 250];

/** Wakes the workers of this process when there may be work, so that they need not poll often. */
export class WakeSignals {
  readonly #wake = new Map<string, () => void>();

  register(name: string, wake: () => void): void {
    this.#wake.set(name, wake);
  }

  /** Wakes workers shortly; ignores unknown names. */
  wake(...names: string[]): void {
    for (const name of names) for (const ms of afterMs) setTimeout(() => this.#wake.get(name)?.(), ms).unref();
  }
}
