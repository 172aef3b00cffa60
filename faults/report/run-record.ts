import { appendFileSync, existsSync, readFileSync } from 'node:fs';

interface Recorded<T> {
  target: string;
  seed: number;
  result: T;
}

/** Results of finished runs by target and seed, a line of JSON each, so that an interrupted matrix can continue. */
export class RunRecord<T> {
  readonly #runs: Recorded<T>[];

  /** @param file read if it exists; null: the results are kept in memory only */
  constructor(private readonly file: string | null) {
    const text = file && existsSync(file) ? readFileSync(file, 'utf8') : '';
    // The last line is incomplete if the matrix was killed while it wrote.
    const complete = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    this.#runs = complete.filter(Boolean).map((line) => JSON.parse(line) as Recorded<T>);
  }

  find(target: string, seed: number): T | undefined {
    return this.#runs.find((one) => one.target === target && one.seed === seed)?.result;
  }

  add(target: string, seed: number, result: T): void {
    const run = { target, seed, result };
    this.#runs.push(run);
    if (this.file) appendFileSync(this.file, `${JSON.stringify(run)}\n`);
  }

  get results(): T[] {
    return this.#runs.map(({ result }) => result);
  }
}
