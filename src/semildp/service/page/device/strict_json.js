/**
 * Reading JSON strictly: no field twice, nothing that is not finite, nothing before or after.
 *
 * `JSON.parse` keeps the last of two fields with one name and rounds large whole numbers. This reader refuses the
 * first. It gives whole numbers (no fraction, no exponent) as BigInt, other numbers as Number, objects as Map.
 */

import { WireError } from "./problems.js";

const DEEPEST = 500; // levels of nesting; an honest message has fewer than ten
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const WORDS = { true: true, false: false, null: null };
const NOT_FINITE = ["NaN", "Infinity", "-Infinity"];
const HALF_A_CHARACTER = /\p{Surrogate}/u;

/**
 * Return what JSON in UTF-8 holds, or refuse it.
 * @param {Uint8Array} bytes
 */
export function strictJson(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new WireError("not-json", "JSON must be in UTF-8; got other bytes");
  }
  return new Reader(text).document();
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  document() {
    this.space();
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.refuse("something follows the message");
    return value;
  }

  refuse(why) {
    throw new WireError("not-json", `${why}, at character ${this.at}`);
  }

  /** Move past what a sticky expression matches here, and return it. */
  take(expression) {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text);
    if (match) this.at += match[0].length;
    return match;
  }

  space() {
    this.take(SPACE);
  }

  value(depth) {
    if (depth > DEEPEST) this.refuse("it is nested too deeply");
    const first = this.text[this.at];
    if (first === "{") return this.object(depth);
    if (first === "[") return this.array(depth);
    if (first === '"') return this.string();
    for (const word of NOT_FINITE) {
      if (this.text.startsWith(word, this.at)) throw new WireError("not-finite", `numbers must be finite; got ${word}`);
    }
    for (const word of Object.keys(WORDS)) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return WORDS[word];
      }
    }
    return this.number();
  }

  number() {
    const match = this.take(NUMBER);
    if (!match) this.refuse("a value was expected");
    const number = Number(match[0]);
    if (!Number.isFinite(number))
      throw new WireError("not-finite", `numbers must be finite; got ${match[0].slice(0, 40)}`);
    return match[1] === undefined && match[2] === undefined ? BigInt(match[0]) : number;
  }

  string() {
    this.at += 1;
    let out = "";
    for (;;) {
      out += this.take(PLAIN)[0];
      const next = this.text[this.at];
      if (next === '"') break;
      if (next !== "\\") this.refuse("a string has no end, or holds a control character");
      out += this.escape();
    }
    this.at += 1;
    if (HALF_A_CHARACTER.test(out)) this.refuse("half a character was written");
    return out;
  }

  escape() {
    const letter = this.text[this.at + 1];
    this.at += 2;
    if (letter !== "u") return ESCAPES[letter] ?? this.refuse("there is no such escape");
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.refuse("an escape has four hexadecimal digits");
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  array(depth) {
    const out = [];
    this.items("]", () => out.push(this.value(depth + 1)));
    return out;
  }

  object(depth) {
    const out = new Map();
    this.items("}", () => {
      if (this.text[this.at] !== '"') this.refuse("a field's name was expected");
      const name = this.string();
      this.space();
      if (this.text[this.at] !== ":") this.refuse("a colon was expected");
      this.at += 1;
      this.space();
      const value = this.value(depth + 1);
      if (out.has(name)) throw new WireError("duplicate-field", "JSON must not name a field twice");
      out.set(name, value);
    });
    return out;
  }

  /** Read what stands between commas, up to the closing bracket. */
  items(end, readOne) {
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      readOne();
      this.space();
      const next = this.text[this.at];
      this.at += 1;
      if (next === end) return;
      if (next !== ",") this.refuse("a comma was expected");
      this.space();
    }
  }
}
