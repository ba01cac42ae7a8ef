/** Scales of pictures: where ticks stand, and how many digits a number needs. Nothing is estimated here. */

import { number } from "./texts.js";

/** Digits behind the point that tell numbers of such a range apart. */
export function digitsOf(range) {
  return range > 0 ? Math.min(Math.max(1 - Math.floor(Math.log10(range)), 0), 8) : 2;
}

/** Write a number with its sign. */
export function signed(x, digits) {
  const text = number(Math.abs(x), digits);
  const nothing = number(0, digits);
  return text === nothing ? nothing : `${x < 0 ? "−" : "+"}${text}`;
}

/** Round numbers between two ends, about `many` of them. */
export function ticks(low, high, many = 4) {
  const rough = (high - low) / many;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((each) => each >= 0.75 * rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) found.push(k * step || 0); // || 0: no -0
  return found;
}

/** A function from [low, high] to [from, to]. */
export function scale(low, high, from, to) {
  const width = high - low || 1;
  return (x) => Math.round((from + ((x - low) / width) * (to - from)) * 100) / 100;
}

/** The ends that all panels share: everything that is added, with two errors on either side, and 0. */
export function commonEnds(found) {
  let [low, high] = [0, 0];
  for (const { added, error, shape } of found) {
    if (shape === "map") continue;
    added.forEach((x, i) => {
      low = Math.min(low, x - 2 * (error?.[i] ?? 0));
      high = Math.max(high, x + 2 * (error?.[i] ?? 0));
    });
  }
  const room = 0.04 * (high - low || 1);
  return [low - room, high + room];
}
