/** Public domains: features scaled to [0, 1] and cut in bins, labels on a grid. All in 64-bit floating point. */

import { WireError } from "./problems.js";
import { unit as share } from "./source.js";

export const LARGEST = 1e100;
export const NARROWEST = 1e-100;

/** Whether two numbers can be the ends of a domain. */
export function isInterval(low, high) {
  return low < high && Math.max(-low, high) <= LARGEST && high - low >= NARROWEST;
}

/** Move x into [low, high]; where x equals a bound the bound is taken, so that -0 becomes the 0 of the study. */
export function clip(x, low, high) {
  if (x <= low) return low;
  return x >= high ? high : x;
}

/** Map a feature to [0, 1] by its bounds. */
export function scale(x, [low, high]) {
  return (clip(x, low, high) - low) / (high - low);
}

/** Return which of equal bins a number of [0, 1] is in: min(floor(x * bins), bins - 1). */
export function binOf(x, bins) {
  return bins === 1 ? 0 : Math.floor(Math.min(x * bins, bins - 1));
}

/** Map a word to [low, high]; rounding must not lead out of it. */
export function uniform(word, low, high) {
  return Math.min(low + share(word) * (high - low), high);
}

/** An evenly spaced grid of points 0..steps on [low, high]. */
export class LabelGrid {
  constructor(low, high, steps) {
    if (!isInterval(low, high))
      throw new WireError("out-of-domain", `a grid lies on two numbers, low < high, at most ${LARGEST} in size`);
    if (steps < 1 || steps > 2 ** 30) throw new WireError("out-of-domain", "a grid has 1 to 2**30 steps");
    Object.assign(this, { low, high, steps });
  }

  #place(x) {
    return clip(((x - this.low) / (this.high - this.low)) * this.steps, 0, this.steps);
  }

  /** Round to the nearest point; of two, to the even one. */
  nearest(x) {
    const place = this.#place(x);
    const lower = Math.floor(place);
    const rest = place - lower;
    if (rest === 0.5) return lower % 2 ? lower + 1 : lower;
    return rest > 0.5 ? lower + 1 : lower;
  }

  /** Round to one of the two nearest points, with probabilities that keep the mean. */
  atRandom(x, word) {
    const place = this.#place(x);
    const lower = Math.floor(place);
    return lower + (share(word) < place - lower ? 1 : 0);
  }
}
