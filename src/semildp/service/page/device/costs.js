/** What an answer costs, read off the question alone, in exact numbers. */

import { Fraction, ZERO } from "./exact.js";
import { Partition } from "./partition.js";

/** Return the most that the answer costs somebody who hides so many features. */
export function costAtMost(question, nHidden) {
  return sum(question.asks, (ask) => (ask.ask === "bins" ? nHidden : 1));
}

/**
 * Return what the answer costs one person. A cell that is public knowledge costs nothing.
 * @param {number[]} unit public features scaled to [0, 1]; private ones are not read
 */
export function ownCost(question, unit, mask) {
  return sum(question.asks, (ask) => {
    if (ask.ask === "bins") return mask.filter(Boolean).length;
    if (ask.ask === "cell") return new Partition(ask.partition, mask.length).candidates(unit, mask).size > 1 ? 1 : 0;
    return 1;
  });
}

function sum(asks, times) {
  return asks.reduce((total, ask) => total.plus(Fraction.ofFloat(ask.epsilon).times(times(ask))), ZERO);
}
