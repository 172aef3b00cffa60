import type { EscapeMode } from '../variable/escape.js';
import type { Segment } from './template.js';
import type { Condition, TemplateBuilder } from './template-builder.js';
import type { Text } from '../variable/variable.js';

/** Literals are joined up to about this many characters, so that trimming the last one never reads a whole mail. */
const joinedMax = 4096;

export class SegmentWriter {
  readonly segments: Segment[] = [];
  readonly builder: TemplateBuilder;
  /** Literals before this index are behind a condition's edge and stay apart. */
  #edge = 0;

  constructor(builder: TemplateBuilder) {
    this.builder = builder;
  }

  put(...items: (string | number)[]): this {
    for (const item of items) {
      const last = this.segments.length - 1;
      const before = this.segments[last];
      if (typeof item === 'string' && last >= this.#edge && typeof before === 'string' && before.length < joinedMax) {
        this.segments[last] = before + item;
      } else if (item !== '') {
        this.segments.push(item);
      }
    }
    return this;
  }

  text(text: Text, mode: EscapeMode): this {
    for (const part of text) this.put(this.builder.value(part, mode));
    return this;
  }

  when(condition: Condition | null, write: () => void): void {
    const numbers = condition === null ? [] : this.builder.conditions(condition);
    this.#guarded(numbers, write);
  }

  trimEnd(): void {
    const last = this.segments.length - 1;
    const segment = this.segments[last];
    if (last < this.#edge || typeof segment !== 'string') return;
    let end = segment.length;
    while (segment[end - 1] === ' ') end -= 1;
    if (end < segment.length) this.segments[last] = segment.slice(0, end);
  }

  #guarded(numbers: number[], write: () => void): void {
    const [number, ...inner] = numbers;
    if (number === undefined) return write();
    const guard = { if: number, skip: 0 };
    this.segments.push(guard);
    const start = this.segments.length;
    this.#edge = start;
    this.#guarded(inner, write);
    guard.skip = this.segments.length - start;
    this.#edge = this.segments.length;
  }
}
