/** The page's words: all of them come from one file, so that a study can be translated. */

let words = {};

/** Use these words from now on. */
export function setTexts(texts) {
  words = texts;
}

/**
 * Return a text by "group.key", its {placeholders} filled in. What is missing shows as its key.
 * @param {string} name
 * @param {Object<string, string|number>} values
 */
export function t(name, values = {}) {
  const [group, ...key] = name.split(".");
  const text = words[group]?.[key.join(".")];
  if (typeof text !== "string") return name;
  return text.replace(/\{([a-z]+)\}/g, (whole, key) => (Object.hasOwn(values, key) ? String(values[key]) : whole));
}

/** Whether there is such a text. */
export function has(name) {
  return t(name) !== name;
}

export const language = () => words.lang ?? "en";
export const direction = () => words.dir ?? "ltr";

/** The words' language as the person's browser writes it: British dates for English words in a British browser. */
function locale() {
  const own = globalThis.navigator?.language ?? "";
  return own.split("-")[0] === language().split("-")[0] ? own : language();
}

/** Write a number for people: at most `digits` digits behind the point. */
export function number(x, digits = 6) {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits, useGrouping: Math.abs(x) >= 10000 }).format(
    x,
  );
}

/** Write a date and time; an empty text for none. */
export function date(iso) {
  const when = new Date(iso ?? Number.NaN);
  if (Number.isNaN(when.getTime())) return "";
  return new Intl.DateTimeFormat(locale(), { dateStyle: "long", timeStyle: "short" }).format(when);
}

/** Write the time of day. */
export function time(when) {
  return new Intl.DateTimeFormat(locale(), { timeStyle: "short" }).format(when);
}

/** Write e**x as a factor, rounded up, so that it never promises too much. */
export function factor(x) {
  const value = Math.exp(x);
  if (!(value < 1e9)) return number(Math.min(value, 1e300), 0);
  return value < 10 ? number(Math.ceil(value * 10) / 10, 1) : number(Math.ceil(value), 0);
}
