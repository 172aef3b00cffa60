/** Does one piece of work at a time. Of what comes meanwhile, only the newest is done next. */
export class NewestOnly<I, O> {
  #isBusy = false;
  #next: { input: I } | null = null;

  constructor(
    private readonly work: (input: I) => Promise<O>,
    private readonly report: (input: I, outcome: O) => void,
  ) {}

  take(input: I): void {
    this.#next = { input };
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#next) {
      const { input } = this.#next;
      this.#next = null;
      this.report(input, await this.work(input));
    }
    this.#isBusy = false;
  }
}
