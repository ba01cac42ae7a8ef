/** Making a person's own values fit to be reported: bounds, what is missing, what is private. They stay here. */

import { clip, scale, uniform } from "./grids.js";
import { InputError } from "./problems.js";
import { below } from "./source.js";

/** Return which features are private: all where masks are hidden, else the person's own and what the study forces. */
export function actingMask(study, hidden) {
  return study.features.map((feature) => study.hide_mask || feature.private || hidden.has(feature.name));
}

/** Return a value as a number: a category as its place in the list; NaN where it is missing. */
function coded(domain, value) {
  if (domain.kind === "number") return typeof value === "number" ? value : Number.NaN;
  const place = domain.values.indexOf(value);
  return place < 0 ? Number.NaN : place;
}

/** Return what a person makes public: a number within its bounds, a category's value, null where private. */
export function publicEntries(study, values, mask) {
  return study.features.map((feature, j) => {
    if (mask[j]) return null;
    const x = coded(feature.domain, values[j]);
    if (Number.isNaN(x)) throw new InputError(`Public features must not be missing: ${feature.name}.`);
    return feature.domain.kind === "number" ? clip(x, ...study.bounds[j]) : feature.domain.values[x];
  });
}

/** Return public features scaled to [0, 1], NaN where private: all that a number of candidates depends on. */
export function publicUnit(study, values, mask) {
  return publicEntries(study, values, mask).map((entry, j) =>
    entry === null ? Number.NaN : scale(coded(study.features[j].domain, entry), study.bounds[j]),
  );
}

/**
 * Complete a raw row. What lies outside its bounds is moved to the nearer one; what is missing is drawn uniformly.
 * A word is drawn for every private feature and for the label, missing or not, so that the work done tells nothing.
 * @returns {{unit: number[], label: number, mask: boolean[]}} features scaled to [0, 1]; a class as its place
 */
export function ready(study, values, label, hidden, source) {
  const mask = actingMask(study, hidden);
  publicEntries(study, values, mask); // refuses what is missing and public
  const words = source.words(mask.filter(Boolean).length);
  let next = 0;
  const unit = study.features.map((feature, j) => {
    const bounds = study.bounds[j];
    const drawn = mask[j] ? uniform(words[next++], ...bounds) : Number.NaN;
    const x = coded(feature.domain, values[j]);
    return scale(Number.isNaN(x) ? drawn : x, bounds);
  });
  if (study.label === null) return { unit, label: 0, mask };
  return { unit, label: readyLabel(study.label, label, source.words(1)[0]), mask };
}

/** Return a label as a number within its bounds, or as the place of its class; what is missing is drawn by a word. */
function readyLabel(domain, label, word) {
  const given = coded(domain, label);
  if (domain.kind !== "number") {
    const drawn = below(word, domain.values.length);
    return Number.isNaN(given) ? drawn : given;
  }
  const drawn = uniform(word, domain.low, domain.high);
  return Number.isNaN(given) ? drawn : clip(given, domain.low, domain.high);
}
