/** The study: the public document that says what is asked of everyone, under which epsilon. */

import { digest } from "./digest.js";
import * as is from "./fields.js";
import { isInterval } from "./grids.js";
import { InputError, WireError } from "./problems.js";
import { strictJson } from "./strict_json.js";

const LONGEST_NAME = 200;
const MOST_FEATURES = 2 ** 16;
const MOST_VALUES = 2 ** 16;
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;

const words = is.list(is.text());
const number = { low: is.float, high: is.float };
const feature = is.struct(
  { name: is.text(), domain: is.tagged("kind", { number, category: { values: words } }), private: is.truth },
  { private: false },
);
const setting = (value, where) => {
  if (["bool", "str"].includes(is.typeOf(value))) return value;
  return is.float(value, where);
};
const labelDomain = is.tagged("kind", { number, classes: { values: words } });
const study = is.struct(
  {
    name: is.text(),
    epsilon: is.positive,
    label: (value, where) => (value === null ? null : labelDomain(value, where)),
    features: is.list(feature),
    protocol: is.text(),
    settings: is.table(is.text(), setting),
    participation: is.oneOf("split", "both"),
    hide_mask: is.truth,
    version: is.whole(1, 1),
  },
  { label: null, protocol: "semi-private", settings: new Map(), participation: "split", hide_mask: false, version: 1 },
);

/**
 * Read a study from its published bytes, whose SHA-256 is its name.
 * @param {Uint8Array} bytes
 */
export async function readStudy(bytes) {
  let read;
  try {
    read = study(strictJson(bytes), "the study");
  } catch (problem) {
    if (problem instanceof WireError) throw new InputError(`The study cannot be used: ${problem.detail}.`);
    throw problem;
  }
  checkMeaning(read);
  return Object.freeze({ ...read, bounds: read.features.map((f) => ends(f.domain)), digest: await digest(bytes) });
}

/** Bounds of a domain; of v values of a category, code j stands in the middle of [j - 1/2, j + 1/2]. */
function ends(domain) {
  return domain.kind === "number" ? [domain.low, domain.high] : [-0.5, domain.values.length - 0.5];
}

function checkMeaning({ name, protocol, epsilon, label, features }) {
  checkName("name", name);
  checkName("protocol", protocol);
  if (!(epsilon >= 1e-12 && epsilon <= 1e12)) throw refusal("epsilon", "from 1e-12 to 1e12");
  if (label !== null) checkDomain("label", label);
  const names = new Set(features.map((f) => f.name));
  if (!features.length || features.length > MOST_FEATURES || names.size !== features.length) {
    throw refusal("features", `1 to ${MOST_FEATURES}, each with a name of its own`);
  }
  for (const f of features) {
    checkName("name of a feature", f.name);
    checkDomain(f.name, f.domain);
  }
}

function checkDomain(what, domain) {
  if (domain.kind === "number") {
    if (!isInterval(domain.low, domain.high)) throw refusal(what, "between two finite numbers, low < high");
    return;
  }
  for (const value of domain.values) checkName(`a value of ${what}`, value);
  const distinct = new Set(domain.values).size;
  if (distinct < 2 || distinct > MOST_VALUES || distinct !== domain.values.length) {
    throw refusal(what, `one of 2 to ${MOST_VALUES} different words`);
  }
}

function checkName(what, name) {
  const length = [...name].length;
  if (!length || length > LONGEST_NAME || NOT_PRINTABLE.test(name.replaceAll(" ", ""))) {
    throw refusal(what, `1 to ${LONGEST_NAME} printable characters`);
  }
}

function refusal(what, required) {
  return new InputError(`The study cannot be used: ${what} must be ${required}.`);
}
