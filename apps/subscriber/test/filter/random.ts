import fc from 'fast-check';
import type { GeneratorValue } from 'fast-check';

/** A source of random choices. */
export abstract class Random {
  abstract int(min: number, max: number): number;

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)]!;
  }

  /** True in `p` of all cases. */
  chance(p: number): boolean {
    return this.int(1, 1000) <= p * 1000;
  }

  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [items[i], items[j]] = [items[j]!, items[i]!];
    }
    return items;
  }
}

/** Choices of fast-check, which shrinks a failing case to the smallest one. */
export class Drawn extends Random {
  constructor(private readonly draw: GeneratorValue) {
    super();
  }

  int(min: number, max: number): number {
    return this.draw(fc.integer, { min, max });
  }
}

/** A small seeded generator (mulberry32) for data that needs no shrinking. */
export class Seeded extends Random {
  #state: number;

  constructor(seed: number) {
    super();
    this.#state = seed >>> 0;
  }

  int(min: number, max: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return min + Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * (max - min + 1));
  }
}
