/** What a question asks, in plain words: read off the question itself, with the chances of its own thresholds. */

import { labelWording, wording } from "./answers.js";
import { Partition } from "./device/partition.js";
import { number, t } from "./texts.js";

const WORD = 2 ** 64;
const share = (threshold) => Number(threshold) / WORD;

/** Return the chance that something true is sent, by the thresholds; null for Laplace noise, which has none. */
export function kept({ kind, values, width, thresholds }) {
  const [first] = thresholds.map(share);
  if (kind === "generalised") return 1 - first + first / values;
  if (kind === "window") return 1 - first + (first * width) / (values - 1 + width);
  if (kind === "subset") return values === 1 ? 1 : 1 - first + (first * width) / values;
  if (kind === "binary") return 1 - first;
  if (kind === "paired") return (values === 2 ? 1 : 0.5) - first;
  return null;
}

/** Half of all Laplace noise is beyond this many steps: ln 2 / r, r being the rate of its tail. */
function middleNoise({ thresholds }) {
  const rate = -Math.log(share(thresholds[0])) / 2 ** (thresholds.length - 1);
  return Math.log(2) / rate;
}

/**
 * Say of each ask what is asked and how chance is mixed in.
 * @param {{study: object, collection: object}} about
 * @param {object} question that was verified
 * @param {number[]} unit public features scaled to [0, 1], NaN where private
 * @param {boolean[]} mask
 * @returns {Array<{what: string, chance: string, kept: number|null, near: boolean=}>}
 *   near: `kept` is the chance of something near the truth, not of the truth
 */
export function explain(about, question, unit, mask) {
  return question.asks.map((ask) =>
    SAY[ask.ask](ask, { ...about, question, unit, mask, label: labelWording(about.collection) }),
  );
}

const percent = (p) => number(100 * p, 1);

function response(mechanism) {
  const p = kept(mechanism);
  const values = {
    kept: percent(p),
    other: percent(1 - p),
    width: mechanism.width,
    count: mechanism.values,
    share: percent(mechanism.width / (mechanism.values - 1 + mechanism.width)),
  };
  return { chance: t(`chance.${mechanism.kind}`, values), kept: p, near: mechanism.kind === "window" };
}

function names({ study, collection }, features) {
  const found = [...new Set(features)]
    .filter((f) => f >= 0)
    .map((f) => `“${wording(collection, study.features[f].name).text}”`);
  return found.length ? found.join(", ") : t("ask.no-features");
}

const parts = (partition) => [...partition.features.filter((_, j) => partition.bins[j] > 1), ...partition.tree.feature];

function centre(me, own) {
  return t("ask.expected", { value: `${number(own, 2)}${me.label.unit ? ` ${me.label.unit}` : ""}` });
}

/** How many cells the person could be in, and the mechanism for so many. */
function choice(ask, me) {
  const count = new Partition(ask.partition, me.mask.length).candidates(me.unit, me.mask).size;
  return { count, mechanism: ask.mechanisms.get(String(count)) };
}

const SAY = {
  label(ask, me) {
    const { mechanism } = ask;
    const what = t("ask.label", { label: me.label.text, steps: number(mechanism.values - 1, 0) });
    if (mechanism.kind !== "laplace") return { what, ...response(mechanism) };
    const size = (middleNoise(mechanism) * (ask.high - ask.low)) / (mechanism.values - 1);
    return {
      what,
      chance: t("chance.laplace", { size: number(size, 2), unit: me.label.unit }).replace(" .", "."),
      kept: null,
    };
  },
  cell(ask, me) {
    const { count, mechanism } = choice(ask, me);
    const values = { count: number(count, 0), features: names(me, parts(ask.partition)) };
    if (count === 1) return { what: t("ask.cell.known", values), chance: t("chance.none"), kept: null };
    return { what: t("ask.cell", values), ...response(mechanism) };
  },
  pair(ask, me) {
    const { count, mechanism } = choice(ask, me);
    const [first, ...others] = ask.centres; // one per leaf; which leaf is the person's own may be private
    const from = others.length ? t("ask.expected.group") : centre(me, me.question.centre + first);
    const values = {
      count: number(count, 0),
      features: names(me, parts(ask.partition)),
      label: me.label.text,
      centre: from,
      levels: mechanism.values / count,
    };
    return { what: t(count === 1 ? "ask.pair.known" : "ask.pair", values), ...response(mechanism) };
  },
  signed(ask, me) {
    const values = {
      label: me.label.text,
      centre: centre(me, me.question.centre),
      levels: ask.mechanism.values,
      features: names(me, parts(ask.partition)),
    };
    return { what: t("ask.signed", values), ...response(ask.mechanism) };
  },
  class(ask, me) {
    const { count, mechanism } = choice(ask, me);
    const values = {
      count: number(count, 0),
      features: names(me, parts(ask.partition)),
      label: me.label.text,
      classes: number(mechanism.values / count, 0),
    };
    return { what: t(count === 1 ? "ask.class.known" : "ask.class", values), ...response(mechanism) };
  },
  bins(ask, me) {
    const hidden = me.mask.map((_, j) => j).filter((j) => me.mask[j]);
    if (!hidden.length)
      return { what: t("ask.bins", { features: names(me, []) }), chance: t("chance.none"), kept: null };
    const least = Math.min(...hidden.map((j) => kept(ask.mechanisms[j])));
    return {
      what: t("ask.bins", { features: names(me, hidden) }),
      chance: t("chance.bins", { kept: percent(least) }),
      kept: least,
    };
  },
  histogram(ask, me) {
    const { cells } = new Partition(ask.partition, me.mask.length);
    const what = t("ask.histogram", { count: number(cells, 0), label: me.label.text });
    return { what, chance: t("chance.histogram", { count: number(2 * cells, 0) }), kept: null };
  },
};
