/** Pictures of what was found: steps and lines with their bands, values of categories, maps of two features. */

import { digitsOf, scale, signed, ticks } from "./curator_scale.js";
import { svg } from "./dom.js";
import { number } from "./texts.js";

const WIDTH = 340;
const HEIGHT = 190;
const LEFT = 46; // room for numbers beside the axis
const RIGHT = WIDTH - 10;
const TOP = 8;
const BOTTOM = HEIGHT - 24; // room for numbers below it
const LEVELS = 8; // shades on either side of 0

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function frame(height, label, kind, ...children) {
  return svg("svg", { class: `plot ${kind}`, viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label }, children);
}

/** Numbers and lines along y; 0 is drawn stronger. */
function rules(ends, y) {
  const digits = digitsOf(ends[1] - ends[0]);
  return ticks(...ends).map((at) => [
    svg("line", { class: Math.abs(at) < 1e-12 ? "zero" : "rule", x1: LEFT, x2: RIGHT, y1: y(at), y2: y(at) }),
    svg("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, signed(at, digits)),
  ]);
}

/** Numbers below. */
function below(low, high, x, many = 5) {
  const digits = digitsOf(high - low);
  return ticks(low, high, many).map((at) => [
    svg("line", { class: "tick", x1: x(at), x2: x(at), y1: BOTTOM, y2: BOTTOM + 4 }),
    svg("text", { x: x(at), y: BOTTOM + 17, "text-anchor": x(at) > RIGHT - 8 ? "end" : "middle" }, number(at, digits)),
  ]);
}

/** Corners of a curve: of steps, both ends of each place. */
function corners({ shape, axes: [axis] }, heights, x, y) {
  if (shape === "line") return heights.map((h, i) => `${x(axis[i])} ${y(h)}`);
  return heights.flatMap((h, i) => [`${x(axis[i])} ${y(h)}`, `${x(axis[i + 1])} ${y(h)}`]);
}

/** What a number adds, with a band where errors are known. */
export function curve(finding, ends, label) {
  const [axis] = finding.axes;
  const x = scale(axis[0], axis.at(-1), LEFT, RIGHT);
  const y = scale(...ends, BOTTOM, TOP);
  const line = corners(finding, finding.added, x, y);
  let band = null;
  if (finding.error) {
    const upper = corners(finding, finding.added.map((v, i) => v + 2 * finding.error[i]), x, y);
    const lower = corners(finding, finding.added.map((v, i) => v - 2 * finding.error[i]), x, y);
    band = svg("path", { class: "band", d: `M${upper.join("L")}L${lower.reverse().join("L")}Z` });
  }
  return frame(HEIGHT, label, kindOf(finding), rules(ends, y), below(axis[0], axis.at(-1), x), band, svg("path", { class: "curve", d: `M${line.join("L")}` }));
}

/** What each value of a category adds: a row each, with a bar of two errors on either side where they are known. */
export function values(finding, ends, label) {
  const [axis] = finding.axes;
  const left = 100;
  const step = Math.max(26, Math.min(44, (BOTTOM - TOP) / axis.length));
  const floor = TOP + step * axis.length;
  const x = scale(...ends, left, RIGHT);
  const digits = digitsOf(ends[1] - ends[0]);
  const upright = ticks(...ends, 4).map((at) => [
    svg("line", { class: Math.abs(at) < 1e-12 ? "zero" : "rule", x1: x(at), x2: x(at), y1: TOP, y2: floor }),
    svg("text", { x: x(at), y: floor + 17, "text-anchor": x(at) > RIGHT - 12 ? "end" : "middle" }, signed(at, digits)),
  ]);
  const rows = axis.map((value, i) => {
    const y = TOP + step * (i + 0.5);
    const [at, error] = [finding.added[i], finding.error?.[i]];
    return [
      svg("text", { class: "name", x: left - 10, y: y + 4, "text-anchor": "end" }, short(value, 14)),
      error ? svg("line", { class: "bar", x1: x(at - 2 * error), x2: x(at + 2 * error), y1: y, y2: y }) : svg("line", { class: "stem", x1: x(0), x2: x(at), y1: y, y2: y }),
      svg("circle", { class: "dot", cx: x(at), cy: y, r: 5.5 }),
    ];
  });
  return frame(floor + 24, label, kindOf(finding), upright, rows);
}

/** Where a place of an axis begins and ends: a category's values are 1 wide. */
function edgesOf(axis, places) {
  return axis.length === places ? Array.from({ length: places + 1 }, (_, i) => i) : axis;
}

/** What two features add together: shades of one colour above 0 and of another below; equal neighbours are one patch. */
export function map(finding, label) {
  const [rows, columns] = placesOf(finding);
  const [across, up] = [edgesOf(finding.axes[0], rows), edgesOf(finding.axes[1], columns)];
  const x = scale(across[0], across.at(-1), LEFT, RIGHT);
  const y = scale(up[0], up.at(-1), BOTTOM, TOP);
  const most = Math.max(...finding.added.map(Math.abs)) || 1;
  const level = (i, j) => Math.round((finding.added[i * columns + j] / most) * LEVELS);
  const patches = [];
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; ) {
      let end = j + 1;
      while (end < columns && level(i, end) === level(i, j)) end += 1;
      const shade = level(i, j);
      if (shade) patches.push(svg("rect", { class: shade > 0 ? "more" : "less", "fill-opacity": Math.abs(shade) / LEVELS, x: x(across[i]), y: y(up[end]), width: x(across[i + 1]) - x(across[i]) + 0.4, height: y(up[j]) - y(up[end]) + 0.4 }));
      j = end;
    }
  }
  const named = (axis, places) => axis.length === places;
  const bottom = named(finding.axes[0], rows)
    ? finding.axes[0].map((name, i) => svg("text", { x: x(i + 0.5), y: BOTTOM + 17, "text-anchor": "middle" }, short(name, 10)))
    : below(across[0], across.at(-1), x);
  const side = named(finding.axes[1], columns)
    ? finding.axes[1].map((name, j) => svg("text", { x: LEFT - 6, y: y(j + 0.5) + 4, "text-anchor": "end" }, short(name, 6)))
    : ticks(up[0], up.at(-1)).map((at) => svg("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, number(at)));
  return frame(HEIGHT, label, kindOf(finding), svg("rect", { class: "field", x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP }), patches, bottom, side);
}

/** How many places the two features of a map have: a number's axis has one end more than places. */
function placesOf({ axes, added }) {
  const [first, second] = axes.map((axis) => (typeof axis[0] === "string" ? axis.length : axis.length - 1));
  if (first * second !== added.length) throw new Error("a map's numbers do not fit its axes");
  return [first, second];
}

const kindOf = (finding) => (finding.private ? "is-private" : "is-public");

/** A bar that is filled in part. */
export function bar(share, kind = "is-private") {
  const width = Math.min(Math.max(share, 0), 1) * 100;
  return svg("svg", { class: `bar ${kind}`, viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 1 }), svg("rect", { class: "full", width, height: 1 }));
}
