/** Bits for each address that a file may have: one of a thousand addresses is then taken for a repeated one. */
const bitsPerAddress = 16;
/** The shortest row with an address and its line end: a@b.cd. */
const rowBytesMin = 8;
const [bitsMin, bitsMax] = [2 ** 16, 2 ** 27];
const hashes = 4;

/** A Bloom filter (Bloom 1970): a set of texts in bounded memory that may take a few others for members. */
class BloomFilter {
  readonly #bits: Uint32Array;

  /** @param size a power of two */
  constructor(private readonly size: number) {
    this.#bits = new Uint32Array(size / 32);
  }

  has(one: number, other: number): boolean {
    for (let n = 0; n < hashes; n++) {
      const bit = (one + n * other) & (this.size - 1);
      if ((this.#bits[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  add(one: number, other: number): void {
    for (let n = 0; n < hashes; n++) {
      const bit = (one + n * other) & (this.size - 1);
      this.#bits[bit >>> 5]! |= 1 << (bit & 31);
    }
  }
}

/** Finds the addresses that occur more than once in a file, in at most 32 MB; it may name a few others. */
export class RepeatedAddresses {
  readonly #seen: BloomFilter;
  readonly #repeated: BloomFilter;

  constructor(fileBytes: number) {
    const wanted = Math.max(bitsMin, (fileBytes / rowBytesMin) * bitsPerAddress);
    const size = Math.min(bitsMax, 2 ** Math.ceil(Math.log2(wanted)));
    [this.#seen, this.#repeated] = [new BloomFilter(size), new BloomFilter(size)];
  }

  add(emailKey: string): void {
    const [one, other] = hashesOf(emailKey);
    if (this.#seen.has(one, other)) this.#repeated.add(one, other);
    else this.#seen.add(one, other);
  }

  has(emailKey: string): boolean {
    return this.#repeated.has(...hashesOf(emailKey));
  }
}

function hashesOf(text: string): [number, number] {
  let [one, other] = [0x811c9dc5, 5381];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = (Math.imul(other, 33) ^ code) | 0;
  }
  return [mixed(one), mixed(other) | 1];
}

function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
