/**
 * What a field may hold. A form is a function from what `strictJson` gives to the value a program uses; it refuses
 * by name: "wrong-type" for another type, "out-of-domain" for a value of the right type that is not allowed.
 */

import { WireError } from "./problems.js";

/** Say what type a value has in JSON. */
export function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "object";
  return { bigint: "int", number: "float", string: "str", boolean: "bool" }[typeof value];
}

function expect(type, value, where) {
  const got = typeOf(value);
  if (got !== type) throw new WireError("wrong-type", `${where} must be of type ${type}; got ${got}`);
}

function outside(where, why) {
  return new WireError("out-of-domain", `${where} must be ${why}`);
}

/** A whole number from low to high; a number with a fraction or an exponent is of another type, even 1.0. */
export const whole = (low, high) => (value, where) => {
  expect("int", value, where);
  if (value < BigInt(low) || value > BigInt(high)) throw outside(where, `from ${low} to ${high}`);
  return Number(value);
};

/** A number; whole ones are read as floating point. */
export const float = (value, where) => {
  if (typeof value === "bigint") return Number(value);
  expect("float", value, where);
  return value;
};

/** A number above 0. */
export const positive = (value, where) => {
  const number = float(value, where);
  if (!(number > 0)) throw outside(where, "above 0");
  return number;
};

/** Truth. */
export const truth = (value, where) => {
  expect("bool", value, where);
  return value;
};

/** Text; the whole of it matches the expression, if there is one. */
export const text = (pattern) => (value, where) => {
  expect("str", value, where);
  if (pattern && !pattern.test(value)) throw outside(where, `text like ${pattern.source}`);
  return value;
};

/** One of some words. */
export const oneOf =
  (...choices) =>
  (value, where) => {
    expect("str", value, where);
    if (!choices.includes(value)) throw outside(where, `one of ${choices.join(", ")}`);
    return value;
  };

/** 1 or -1. */
export const sign = (value, where) => {
  expect("int", value, where);
  if (value !== 1n && value !== -1n) throw outside(where, "1 or -1");
  return Number(value);
};

/** A list of values of one form. */
export const list = (form) => (value, where) => {
  expect("array", value, where);
  return value.map((entry, i) => form(entry, `${where}[${i}]`));
};

/** An object whose names are not fixed; names and values have a form each. It becomes a Map. */
export const table = (name, form) => (value, where) => {
  expect("object", value, where);
  return new Map([...value].map(([key, entry]) => [name(key, `a name in ${where}`), form(entry, `${where}[${key}]`)]));
};

/**
 * An object with exactly these fields.
 * @param {Object<string, Function>} forms
 * @param {Object<string, any>} defaults fields that may be left out
 * @param {[string, string]=} tag a field that holds a fixed word, read before
 */
export const struct =
  (forms, defaults = {}, tag = undefined) =>
  (value, where) => {
    expect("object", value, where);
    const out = tag ? { [tag[0]]: tag[1] } : {};
    for (const [name, entry] of value) {
      if (tag && name === tag[0]) continue;
      if (!Object.hasOwn(forms, name))
        throw new WireError("unknown-field", `${where} has the field ${name}, which is not known`);
      out[name] = forms[name](entry, `${where}.${name}`);
    }
    for (const name of Object.keys(forms)) {
      if (value.has(name)) continue;
      if (!Object.hasOwn(defaults, name))
        throw new WireError("missing-field", `the field ${name} of ${where} is missing`);
      out[name] = defaults[name];
    }
    return out;
  };

/** One of several structs; which of them is said by the field `name`. */
export const tagged = (name, kinds) => {
  const forms = new Map(Object.entries(kinds).map(([kind, forms]) => [kind, struct(forms, {}, [name, kind])]));
  return (value, where) => {
    expect("object", value, where);
    if (!value.has(name)) throw new WireError("missing-field", `the field ${name} of ${where} is missing`);
    const kind = value.get(name);
    expect("str", kind, `${where}.${name}`);
    if (!forms.has(kind)) throw outside(`${where}.${name}`, `one of ${[...forms.keys()].join(", ")}`);
    return forms.get(kind)(value, where);
  };
};
