/**
 * Thresholds that keep epsilon, computed anew from epsilon alone, to be compared with those of a question.
 *
 * A threshold T stands for the probability T / 2**64. Each is computed from a lower and from an upper bound of
 * exp(epsilon). If the two differ, no threshold can be confirmed and the question is refused.
 */

import { Fraction } from "./exact.js";
import { ONE, exponential } from "./exponential.js";
import { WireError } from "./problems.js";

export const WORD = 1n << 64n;
export const HALF = WORD / 2n;
const SLACK = 1n << 50n; // Laplace noise is made for epsilon - (1 + epsilon) 2**-50

const ceiling = (a, b) => (a + b - 1n) / b;

/** Return what both ends of an interval of exp(x) give, or refuse where they differ. */
function agreed(x, threshold) {
  const [low, high] = exponential(x).map(threshold);
  if (low !== high) throw new WireError("broken-claim", "a threshold could not be confirmed");
  return low;
}

function refuseIf(useless) {
  if (useless) throw new WireError("out-of-domain", "epsilon must be large enough for an answer to carry anything");
}

/**
 * Smallest T >= 2**64 / (1 + (e**epsilon - 1) n / m), where a replacement has n of 2**64 words for an output and a
 * kept response at most m.
 */
function replacement(epsilon, n, m) {
  const threshold = agreed(epsilon, (e) => ceiling(WORD * m * ONE, m * ONE + (e - ONE) * n));
  refuseIf(threshold >= WORD);
  return threshold;
}

export function generalised(epsilon, k) {
  return [k === 1n ? 0n : replacement(epsilon, WORD / k, WORD)];
}

export function window(epsilon, k, width) {
  return [replacement(epsilon, WORD / (k - 1n + width), ceiling(WORD, width))];
}

export function subset(epsilon, k, width) {
  const least = WORD / k;
  return [k === 1n ? 0n : replacement(epsilon, width * (least - width - 1n), k * least)];
}

/** Smallest T >= 2**64 / (1 + e**(epsilon / 2)). */
export function binary(epsilon, k) {
  if (k === 1n) return [0n];
  const half = new Fraction(epsilon.numerator, 2n * epsilon.denominator);
  const threshold = agreed(half, (e) => ceiling(WORD * ONE, ONE + e));
  refuseIf(2n * threshold >= WORD);
  return [threshold];
}

/** Smallest R >= marked / (1 + e**epsilon): so many of the `marked` words give the opposite sign. */
function opposite(epsilon, marked) {
  const threshold = agreed(epsilon, (e) => ceiling(marked * ONE, ONE + e));
  refuseIf(2n * threshold >= marked);
  return threshold;
}

/** R as above with H = 2**63 words, and the smallest M >= 2**64 (H - R) / (e**epsilon H + 2 (H - R)). */
export function paired(epsilon, candidates) {
  if (candidates === 1n) return [opposite(epsilon, WORD), 0n];
  const flipped = opposite(epsilon, HALF);
  const own = HALF - flipped;
  const marked = agreed(epsilon, (e) => ceiling(WORD * own * ONE, e * HALF + 2n * own * ONE));
  refuseIf(worstRatioIsAbove(exponential(epsilon)[0], flipped, marked));
  return [flipped, marked];
}

/** Whether some entry's likelihoods, true against other, at two entries, have a ratio above growth / ONE. */
function worstRatioIsAbove(growth, flipped, marked) {
  const entries = [
    [HALF, WORD - 2n * marked],
    [flipped, marked],
    [HALF - flipped, marked],
  ];
  return entries.some(([t, u]) => entries.some(([s, v]) => t * v * ONE > growth * u * s));
}

/**
 * Tail T >= 2**64 exp(-r 2**d), then for each digit i < d the nearest whole number to 2**64 / (1 + exp(r 2**i)),
 * where r = (epsilon - (1 + epsilon) 2**-50) / steps and d is the smallest number with r 2**d >= 1.
 */
export function laplace(epsilon, steps) {
  const { numerator, denominator } = epsilon;
  const top = numerator * SLACK - denominator - numerator;
  const bottom = denominator * SLACK * steps;
  const digits = [];
  let power = 1n;
  for (; top * power < bottom; power *= 2n) {
    digits.push(agreed(new Fraction(top * power, bottom), (e) => (2n * WORD * ONE + ONE + e) / (2n * (ONE + e))));
  }
  const tail = agreed(new Fraction(top * power, bottom), (e) => ceiling(WORD * ONE, e));
  return [tail, ...digits];
}
