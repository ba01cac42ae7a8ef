/** The question as it travels: its fields, and reading it from bytes. Meaning is judged in `verify.js`. */

import * as is from "./fields.js";
import { WireError } from "./problems.js";
import { strictJson } from "./strict_json.js";

export const VERSION = 1;
export const LONGEST = 2 ** 26; // bytes of a message
const SAFE = Number.MAX_SAFE_INTEGER;

const digest = is.text(/^[0-9a-f]{64}$/);
const word = is.text(/^(0|[1-9][0-9]{0,19})$/); // below 10**20, so as to hold 2**64
const candidates = is.text(/^[1-9][0-9]{0,9}$/);
const count = is.whole(0, SAFE);
const size = is.whole(1, 2 ** 31);

const mechanism = is.struct({
  kind: is.oneOf("laplace", "window", "generalised", "binary", "subset", "paired"),
  values: size,
  width: size,
  thresholds: is.list(word),
});
const tree = is.struct({
  feature: is.list(is.whole(-SAFE, SAFE)),
  threshold: is.list(is.float),
  child: is.list(count),
});
const partition = is.struct({ features: is.list(count), bins: is.list(size), tree });
const bySize = is.table(candidates, mechanism);
const epsilon = is.positive;

const ask = is.tagged("ask", {
  label: { low: is.float, high: is.float, rounding: is.oneOf("nearest", "random"), mechanism, epsilon },
  cell: { partition, mechanisms: bySize, epsilon },
  pair: { partition, centres: is.list(is.float), reach: is.float, mechanisms: bySize, epsilon },
  signed: { partition, signs: is.list(is.sign), reach: is.float, mechanism, epsilon },
  class: { partition, mechanisms: bySize, epsilon },
  bins: { mechanisms: is.list(mechanism), epsilon },
  histogram: { partition, low: is.float, high: is.float, mass: mechanism, label: mechanism, epsilon },
});

const question = is.struct(
  { study: digest, wave: size, asks: is.list(ask), centre: is.float, version: is.whole(1, 1) },
  { centre: 0 },
  ["message", "question"],
);

/**
 * Return the question that bytes hold, or refuse them by the name of the problem.
 * @param {Uint8Array} bytes
 */
export function readQuestion(bytes) {
  if (bytes.length > LONGEST)
    throw new WireError("too-large", `at most ${LONGEST} bytes are read; got ${bytes.length}`);
  const data = strictJson(bytes);
  checkHead(data, "question");
  return question(data, "the question");
}

/** Refuse another kind of message, and another version, before any other field is looked at. */
function checkHead(data, name) {
  if (!(data instanceof Map)) throw new WireError("wrong-type", `a message is a JSON object; got ${is.typeOf(data)}`);
  if (data.get("message") !== name) throw new WireError("wrong-message", `a ${name} was expected`);
  if (!data.has("version")) throw new WireError("missing-field", "the field version is missing");
  if (data.get("version") !== BigInt(VERSION)) throw new WireError("wrong-version", `version ${VERSION} is known here`);
}
