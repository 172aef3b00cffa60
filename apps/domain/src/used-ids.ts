/** Collects the ids of used tokens or sessions in memory, so that authentication writes nothing; a job stores them. */
export class UsedIds {
  #used = new Set<string>();

  note(id: string): void {
    this.#used.add(id);
  }

  take(): string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }
}
