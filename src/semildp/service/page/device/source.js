/** Where random bits come from. A source is always passed in; on a person's device it is the browser's own. */

const MOST_BYTES = 65536; // that `getRandomValues` gives at a time

/** The browser's cryptographic randomness. */
export class SystemSource {
  /**
   * Return `n` independent uniform 64-bit words.
   * @returns {BigUint64Array}
   */
  words(n) {
    const out = new BigUint64Array(n);
    for (let start = 0; start < n; start += MOST_BYTES / 8) {
      crypto.getRandomValues(out.subarray(start, Math.min(n, start + MOST_BYTES / 8)));
    }
    return out;
  }
}

/** Words of a list, in order: for tests. */
export class ListedSource {
  constructor(words) {
    this.left = words.map(BigInt);
  }

  words(n) {
    if (n > this.left.length) throw new RangeError(`${n} words were asked for and ${this.left.length} are left.`);
    return this.left.splice(0, n);
  }
}

/** Map a uniform word u to floor(u * bound / 2**64), in 0..bound-1. */
export function below(word, bound) {
  return Number((word * BigInt(bound)) >> 64n);
}

/** Map a uniform word to the nearest 64-bit floating-point number to word / 2**64; it can be 1. */
export function unit(word) {
  return Number(word) / 2 ** 64;
}
