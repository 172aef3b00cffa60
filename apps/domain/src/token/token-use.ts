/** Collects the ids of used tokens in memory, so that authentication writes nothing; a job stores them periodically. */
export class TokenUse {
  #used = new Set<string>();

  note(tokenId: string): void {
    this.#used.add(tokenId);
  }

  /** Returns and clears the token uses noted since the last call. */
  take(): string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }
}
