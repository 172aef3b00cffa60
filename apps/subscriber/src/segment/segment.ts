const nameMax = 255;

/** The names a copy may be given when the caller chose none, best first: "X (copy)", "X (copy 2)", … */
export function* copyNames(name: string): Generator<string> {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? ' (copy)' : ` (copy ${n})`;
    yield `${name.slice(0, nameMax - suffix.length)}${suffix}`;
  }
}
