/** Exact arithmetic with fractions of whole numbers: what is spent is added up without rounding. */

/** A fraction in lowest terms, with a denominator above 0. */
export class Fraction {
  /**
   * @param {bigint} numerator
   * @param {bigint} denominator
   */
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new RangeError("A fraction has a denominator other than 0.");
    const common = gcd(numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator);
    const sign = denominator < 0n ? -1n : 1n;
    this.numerator = (sign * numerator) / common;
    this.denominator = (sign * denominator) / common;
  }

  /** The exact value of a 64-bit floating-point number: a whole number times a power of 2. */
  static ofFloat(x) {
    if (!Number.isFinite(x)) throw new RangeError("Only finite numbers are fractions.");
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x);
    const bits = view.getBigUint64(0);
    const power = (bits >> 52n) & 0x7ffn;
    const digits = bits & 0xfffffffffffffn;
    const whole = power === 0n ? digits : digits + (1n << 52n);
    const shift = (power === 0n ? 1n : power) - 1075n;
    const size = shift >= 0n ? new Fraction(whole << shift) : new Fraction(whole, 1n << -shift);
    return bits >> 63n ? new Fraction(-size.numerator, size.denominator) : size;
  }

  /** Read what `toString` writes. */
  static parse(text) {
    const match = /^(-?[0-9]+)(?:\/([0-9]+))?$/.exec(text);
    if (!match) throw new RangeError("A fraction is written as 3/4, or as 3.");
    return new Fraction(BigInt(match[1]), BigInt(match[2] ?? "1"));
  }

  plus(other) {
    const numerator = this.numerator * other.denominator + other.numerator * this.denominator;
    return new Fraction(numerator, this.denominator * other.denominator);
  }

  times(count) {
    return new Fraction(this.numerator * BigInt(count), this.denominator);
  }

  /** Whether this is above the other. */
  above(other) {
    return this.numerator * other.denominator > other.numerator * this.denominator;
  }

  equals(other) {
    return this.numerator === other.numerator && this.denominator === other.denominator;
  }

  /** The value for people to read: rounded, so not for comparing. */
  toNumber() {
    const scaled = (this.numerator << 80n) / this.denominator;
    return Number(scaled) / 2 ** 80;
  }

  toString() {
    return this.denominator === 1n ? `${this.numerator}` : `${this.numerator}/${this.denominator}`;
  }
}

export const ZERO = new Fraction(0n);

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}
