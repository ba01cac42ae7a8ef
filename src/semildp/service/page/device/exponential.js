/** exp(x) of a fraction between two whole numbers of 2**-400: proven bounds, by BigInt alone. */

import { Fraction } from "./exact.js";

const DIGITS = 400n; // binary digits behind the point; thresholds have 64, and Python takes 80 decimals, 266 binary ones
const SPARE = 64n; // digits that rounding may eat: each of at most 24 squarings doubles the error
const LARGEST = new Fraction(10_000n); // beyond it all thresholds are the same: e**10000 is far above 2**128

/** What bounds are whole numbers of: exp(x) lies between low / ONE and high / ONE. */
export const ONE = 1n << DIGITS;

const kept = new Map();

/**
 * Return [low, high] with low / ONE <= exp(min(x, 10000)) <= high / ONE.
 * @param {Fraction} x a fraction, at least 0
 */
export function exponential(x) {
  const capped = x.above(LARGEST) ? LARGEST : x;
  const name = capped.toString();
  if (!kept.has(name)) {
    if (kept.size >= 1024) kept.clear();
    kept.set(name, bounds(capped));
  }
  return kept.get(name);
}

/** exp(x) = exp(x / 2**s)**(2**s), with x / 2**s below 2**-8, where the power series converges fast. */
function bounds(x) {
  const digits = DIGITS + SPARE;
  const squarings = BigInt((x.numerator / x.denominator).toString(2).length + 8);
  const small = (x.numerator << digits) / (x.denominator << squarings);
  let low = series(small, digits, 0n);
  let high = series(small + 1n, digits, 1n);
  for (let i = 0n; i < squarings; i += 1n) {
    low = (low * low) >> digits;
    high = ((high * high) >> digits) + 1n;
  }
  return [low >> SPARE, (high >> SPARE) + 1n];
}

/**
 * Sum x**n / n!, each term rounded down (up = 0) or up (up = 1).
 * Where a term is 0 or, rounded up, at most 1 unit, what follows adds up to less than one more unit.
 */
function series(x, digits, up) {
  let term = 1n << digits;
  let sum = term;
  for (let n = 1n; term > up; n += 1n) {
    term = (term * x) / (n << digits) + up;
    sum += term;
  }
  return sum + up;
}
