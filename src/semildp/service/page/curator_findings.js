/** What was found: the overall estimate, what matters most, and a panel for each effect. All numbers are the server's. */

import { bar, curve, map, values } from "./curator_plots.js";
import { commonEnds, digitsOf, scale, signed } from "./curator_scale.js";
import { card, el, svg } from "./dom.js";
import { number, t } from "./texts.js";

const nameOf = ({ features }) => (features.length === 2 ? t("curator.both", { first: features[0], second: features[1] }) : features[0]);
const partOf = (finding) => t(finding.private ? "curator.private" : "curator.public");
const kindOf = (finding) => (finding.private ? "is-private" : "is-public");

/** The overall estimate, on the label's scale. */
export function overall({ model, label }) {
  if (model.mean === null) return null; // a density predicts nothing
  const [low, high] = label.bounds;
  const digits = digitsOf(high - low) + 1;
  const value = number(model.mean, digits);
  const error = model.error === null ? t("curator.overall.none") : t("curator.overall.error", { error: number(2 * model.error, digits) });
  const ends = { low: number(low), high: number(high) };
  return card(t("curator.overall"), el("p", { class: "hint" }, t("curator.overall.lead")),
    el("p", { class: "large" }, value, label.unit && el("span", {}, ` ${label.unit}`)),
    position(model, label, t("curator.overall.picture", { value, ...ends })),
    el("p", { class: "ends", "aria-hidden": "true" }, el("span", {}, ends.low), el("span", {}, ends.high)),
    el("p", { class: "hint" }, error));
}

function position({ mean, error }, { bounds }, text) {
  const x = scale(...bounds, 0, 300);
  return svg("svg", { class: "position", viewBox: "-8 0 316 20", role: "img", "aria-label": text },
    svg("line", { class: "track", x1: 0, x2: 300, y1: 10, y2: 10 }),
    error && svg("line", { class: "spread", x1: x(Math.max(mean - 2 * error, bounds[0])), x2: x(Math.min(mean + 2 * error, bounds[1])), y1: 10, y2: 10 }),
    svg("circle", { class: "dot", cx: x(mean), cy: 10, r: 7 }));
}

/** Bars of what matters most, and what public and private features do together. */
export function sizes({ model, label }) {
  if (model.mean === null) return null;
  if (!model.found.length) return card(t("curator.sizes"), el("p", {}, t("curator.sizes.nothing")));
  const most = Math.max(...model.together.map((each) => each.size), model.found[0].size);
  const digits = digitsOf(most) + 1;
  const row = (name, part, size, kind) => el("li", {}, el("span", { class: "what" }, name, part && el("span", { class: `tag ${kind}` }, part)),
    el("span", { class: "much" }, number(size, digits)), bar(size / most, kind));
  const lead = label.unit ? t("curator.sizes.lead", { unit: label.unit }) : t("curator.sizes.plain");
  return card(t("curator.sizes"), el("p", { class: "hint" }, lead),
    el("ol", { class: "bars" }, model.found.map((each) => row(nameOf(each), partOf(each), each.size, kindOf(each)))),
    el("ul", { class: "bars together" }, model.together.map((each) => row(t("curator.sizes.together", { part: partOf(each) }), null, each.size, kindOf(each)))),
    model.idle.length ? el("p", {}, t("curator.sizes.idle", { features: model.idle.join(", ") })) : null,
    el("p", { class: "small" }, t("curator.sizes.note")));
}

/** A panel for each effect. */
export function effects(told) {
  const { found } = told.model;
  if (!found.length) return null;
  const ends = commonEnds(found);
  const units = Object.fromEntries(told.hidden.map(({ feature, unit }) => [feature, unit]));
  return el("section", { class: "effects", "aria-labelledby": "effects" }, el("h2", { id: "effects" }, t("curator.effects")),
    el("p", { class: "hint" }, t("curator.effects.lead")),
    el("div", { class: found.length % 3 === 1 ? "panels by-two" : "panels" }, found.map((finding) => panel(finding, ends, units, told.label))));
}

const axisOf = (feature, units) => (units[feature] ? t("curator.effect.axis", { feature, unit: units[feature] }) : feature);

function panel(finding, ends, units, label) {
  const digits = digitsOf(ends[1] - ends[0]) + 1;
  const said = inWords(finding, digits);
  const name = nameOf(finding);
  const alt = `${name}. ${said}`;
  const added = label.unit ? t("curator.effect.unit", { unit: label.unit }) : t("curator.effect.plain");
  const picture = finding.shape === "map" ? map(finding, alt) : finding.shape === "values" ? values(finding, ends, alt) : curve(finding, ends, alt);
  const upright = finding.shape === "map" ? `↑ ${axisOf(finding.features[1], units)}` : finding.shape === "values" ? "" : `↑ ${added}`;
  const across = finding.shape === "values" ? added : axisOf(finding.features[0], units);
  return el("article", { class: "card panel" },
    el("h3", {}, name, el("span", { class: `tag ${kindOf(finding)}` }, partOf(finding))),
    el("p", { class: "axis", "aria-hidden": "true" }, upright), picture, el("p", { class: "axis across", "aria-hidden": "true" }, `${across} →`),
    finding.shape === "map" ? legend(finding, digits) : null,
    el("p", { class: "said" }, said, " ", sure(finding, digits)),
    finding.shape === "map" ? null : table(finding, digits));
}

/** How sure it is; a standard error on average over the places. */
function sure({ mean_error }, digits) {
  return mean_error === null ? t("curator.effect.unsure") : t("curator.effect.sure", { error: number(mean_error, digits + 1) });
}

/** The picture in a sentence. */
function inWords({ shape, axes, added }, digits) {
  const [least, most] = [Math.min(...added), Math.max(...added)];
  if (shape === "map") return t("curator.effect.map", { from: signed(least, digits + 1), to: signed(most, digits + 1) });
  if (shape === "values") {
    const [first, last] = [axes[0][added.indexOf(most)], axes[0][added.indexOf(least)]];
    return t("curator.effect.values", { first, from: signed(most, digits), last, to: signed(least, digits) });
  }
  return t("curator.effect.line", { first: number(axes[0][0]), from: signed(added[0], digits), last: number(axes[0].at(-1)), to: signed(added.at(-1), digits) });
}

function legend({ added }, digits) {
  const most = Math.max(...added.map(Math.abs));
  const side = (kind, x) => el("span", { class: kind }, x, ` ${t(`curator.effect.${kind}`)}`);
  return el("p", { class: "legend" }, side("below", signed(-most, digits + 1)), side("above", signed(most, digits + 1)));
}

/** The same as a table: neighbours with the same numbers are one row. */
function table({ shape, axes: [axis], added, error }, digits) {
  const rows = [];
  for (let i = 0; i < added.length; i += 1) {
    if (shape === "line" && i % 6) continue; // both ends and seven between, of 49 points
    let end = i;
    while (shape === "steps" && added[end + 1] === added[i] && error?.[end + 1] === error?.[i]) end += 1;
    const place = shape === "values" ? axis[i] : shape === "line" ? number(axis[i], digits) : t("curator.effect.range", { low: number(axis[i], digits), high: number(axis[end + 1], digits) });
    rows.push(el("tr", {}, el("th", { scope: "row" }, place), el("td", {}, signed(added[i], digits + 1)), error && el("td", {}, number(error[i], digits + 1))));
    i = end;
  }
  const head = ["curator.effect.value", "curator.effect.added", ...(error ? ["curator.effect.error"] : [])];
  return el("details", {}, el("summary", {}, t("curator.effect.numbers")),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("curator.effect.numbers") },
      el("table", {}, el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, t(name))))), el("tbody", {}, rows))));
}
