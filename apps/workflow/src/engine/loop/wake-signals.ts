/** What is told in a transaction is there when it is committed: soon, and on a busy machine a little later. */
const afterMs = [30, 250];

/** Wakes loops of this process when there may be something to do, so that they need not look often for it. */
export class WakeSignals {
  readonly #wake = new Map<string, () => void>();

  /** Has a loop woken under its name. */
  register(name: string, wake: () => void): void {
    this.#wake.set(name, wake);
  }

  /** Wakes loops shortly; a name that nothing hangs at is nobody. */
  wake(...names: string[]): void {
    for (const name of names) for (const ms of afterMs) setTimeout(() => this.#wake.get(name)?.(), ms).unref();
  }
}
