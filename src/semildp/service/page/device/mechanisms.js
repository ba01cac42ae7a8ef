/** Mechanisms as they stand in questions: read, never trusted; and drawn, for one person. */

import { Fraction } from "./exact.js";
import { WireError } from "./problems.js";
import { below } from "./source.js";
import * as keeping from "./thresholds.js";

const SMALLEST_EPSILON = 1e-12;
const LARGEST_EPSILON = 1e12;
const LARGEST_ROW = 2 ** 20; // where a report has an entry for every candidate
const EPSILON_PER_STEP = 2 ** -40;
const BLOCK = 2 ** 14; // numbers of Laplace noise drawn at a time; it orders the words

function within(name, value, low, high) {
  if (value < low || value > high)
    throw new WireError("out-of-domain", `${name} must be from ${low} to ${high}; got ${value}`);
}

/** For each kind: the values and widths it allows (else refused as out of domain), then its own thresholds. */
const OWN = {
  laplace: ({ values }, epsilon, exact) => {
    within("steps", values - 1, 1, 2 ** 30);
    if (epsilon < (values - 1) * EPSILON_PER_STEP)
      throw new WireError("out-of-domain", "epsilon is too small for so many steps");
    return [1, keeping.laplace(exact, BigInt(values - 1))];
  },
  window: ({ values, width }, epsilon, exact) => {
    within("steps", values - 1, 1, 2 ** 20);
    within("width", width, 1, 2 ** 22);
    return [width, keeping.window(exact, BigInt(values), BigInt(width))];
  },
  generalised: ({ values }, epsilon, exact) => [1, keeping.generalised(exact, BigInt(values))],
  binary: ({ values }, epsilon, exact) => {
    within("values", values, 1, LARGEST_ROW);
    return [1, keeping.binary(exact, BigInt(values))];
  },
  subset: ({ values, width }, epsilon, exact) => {
    within("values", values, 1, LARGEST_ROW);
    within("width", width, 1, Math.max(1, values - 1));
    return [width, keeping.subset(exact, BigInt(values), BigInt(width))];
  },
  paired: ({ values }, epsilon, exact) => {
    within("candidates", Math.floor(values / 2), 1, LARGEST_ROW);
    if (values % 2) throw new WireError("broken-claim", "paired response has two values for each candidate");
    return [1, keeping.paired(exact, BigInt(values / 2))];
  },
};

const computed = new Map(); // a question is checked more than once

/** Return the width and the thresholds that a mechanism must have. */
function ownTerms(message, epsilon) {
  const name = `${message.kind} ${message.values} ${message.width} ${epsilon}`;
  if (!computed.has(name)) {
    if (computed.size >= 1024) computed.clear();
    computed.set(name, OWN[message.kind](message, epsilon, Fraction.ofFloat(epsilon)));
  }
  return computed.get(name);
}

/**
 * Return a mechanism with thresholds to draw from; refuse one whose thresholds are not those that keep `epsilon`.
 * @param {{kind: string, values: number, width: number, thresholds: string[]}} message
 * @param {number} epsilon
 */
export function readMechanism(message, epsilon) {
  within("epsilon", epsilon, SMALLEST_EPSILON, LARGEST_EPSILON);
  const [width, own] = ownTerms(message, epsilon);
  const thresholds = message.thresholds.map(BigInt);
  const same = thresholds.length === own.length && thresholds.every((t, i) => t === own[i]);
  if (!same || message.width !== width) {
    throw new WireError(
      "broken-claim",
      `the thresholds of ${message.kind} with ${message.values} values do not keep epsilon ${epsilon}`,
    );
  }
  return { kind: message.kind, values: message.values, width, thresholds };
}

/** Draw for one value of 0..values-1; return the marks in rising order. Words are drawn whatever the value is. */
const DRAW = {
  generalised: ({ values, thresholds }, value, source) => {
    const [first, second] = source.words(2);
    return [first < thresholds[0] ? below(second, values) : value];
  },
  window: ({ values, width, thresholds }, value, source) => {
    const [first, second, third] = source.words(3);
    return [first < thresholds[0] ? below(second, values - 1 + width) : value + below(third, width)];
  },
  binary: ({ values, thresholds }, value, source) => {
    const marks = [];
    source.words(values).forEach((word, i) => {
      if (word < thresholds[0] !== (i === value)) marks.push(i);
    });
    return marks;
  },
  subset: ({ values, width, thresholds }, value, source) => {
    const [first, second, ...rest] = source.words(width + 2);
    const added = new Set();
    rest.forEach((word, step) => {
      const taken = below(word, values - width + step + 1);
      added.add(added.has(taken) ? values - width + step : taken);
    });
    const set = [...added]; // in the order of adding
    if (first >= thresholds[0] && !added.has(value)) set[below(second, width)] = value;
    return set.sort((a, b) => a - b);
  },
  paired: ({ values, thresholds: [flipped, marked] }, value, source) => {
    const candidate = Math.floor(value / 2);
    const sign = value % 2;
    const alone = values === 2;
    const [own, ...others] = source.words(values / 2 + 1);
    const marks = [];
    others.forEach((word, i) => {
      if (i === candidate) {
        if (alone || own < keeping.HALF) marks.push(2 * i + (own < flipped ? 1 - sign : sign));
      } else if (word < 2n * marked) marks.push(2 * i + (word < marked ? 0 : 1));
    });
    return marks;
  },
  laplace: (mechanism, value, source) => addNoise(mechanism, [value], source),
};

/** Randomise one value. */
export function randomise(mechanism, value, source) {
  if (!(value >= 0 && value < mechanism.values)) throw new RangeError("A value must be within its mechanism's domain.");
  return DRAW[mechanism.kind](mechanism, value, source);
}

/** Add Laplace noise to whole numbers: the difference of two geometric numbers each. */
export function addNoise({ thresholds: [tail, ...digits] }, values, source) {
  const n = values.length;
  const numbers = new Array(2 * n).fill(0);
  for (let start = 0; start < 2 * n; start += BLOCK) {
    let going = Array.from({ length: Math.min(BLOCK, 2 * n - start) }, (_, i) => start + i);
    const block = [...going];
    while (going.length) {
      const words = source.words(going.length);
      going = going.filter((_, i) => words[i] < tail);
      for (const i of going) numbers[i] += 2 ** digits.length;
    }
    digits.forEach((threshold, place) => {
      const words = source.words(block.length);
      block.forEach((i, at) => {
        if (words[at] < threshold) numbers[i] += 2 ** place;
      });
    });
  }
  return values.map((value, i) => value + numbers[i] - numbers[n + i]);
}
