/** Step 1: what the study is, and what is guaranteed. */

import { actions, button, card, el, notice, show, svg } from "./dom.js";
import { labelWording } from "./answers.js";
import { date, factor, number, t } from "./texts.js";

const LARGE = 3; // a convention: beyond it, e**epsilon is above 20 and one should say that it is large

/** Why nobody can begin now, or null. */
export function obstacle({ collection }, invitation) {
  if (collection.status === "not-open") {
    return collection.opens ? t("notice.not-open.opens", { opens: date(collection.opens) }) : t("notice.not-open");
  }
  if (collection.status === "closed") return t("notice.closed");
  if (collection.status === "asking" && collection.visits === "enrol-first") return t("notice.asking");
  return collection.access === "invitation" && !invitation ? t("notice.invitation") : null;
}

/** Show the study; `begin` is called when the person takes part. */
export function showAbout(about, invitation, begin) {
  const { study, collection } = about;
  const why = obstacle(about, invitation);
  const description = String(collection.description ?? "")
    .split(/\n\s*\n/)
    .filter(Boolean);
  show(
    "about",
    collection.title || study.name,
    description.map((paragraph) => el("p", { class: "lead" }, paragraph)),
    why && notice(why, "stop"),
    el("div", { class: "card" }, picture(), el("p", { class: "caption" }, t("about.lead"))),
    card(t("about.promise"), promises(study)),
    facts(about),
    why ? null : actions(button(t("button.begin"), begin)),
  );
}

function promises(study) {
  const lines = study.hide_mask ? ["mask"] : ["public"];
  lines.push("private", "strength", ...(study.epsilon > LARGE ? ["weak"] : []), "checked");
  return el(
    "ul",
    { class: "promises" },
    lines.map((line) => el("li", {}, t(`about.promise.${line}`, { factor: factor(study.epsilon) }))),
  );
}

/** Facts as a list of terms. */
function facts({ study, collection }) {
  const opens = date(collection.opens);
  const closes = date(collection.closes);
  const which = opens && closes ? "both" : opens ? "opens" : "closes";
  const rows = [
    [
      "about.asked",
      t(study.label ? "about.asked.text" : "about.asked.features", { count: number(study.features.length, 0), label: labelWording(collection).text }),
    ],
    [
      "about.people",
      t(`about.people.${collection.access === "open" ? "open" : "invitation"}`, {
        people: number(collection.people ?? 0, 0),
      }),
    ],
    ["about.visits", t(`about.visits.${collection.visits}`)],
    ["about.dates", opens || closes ? t(`about.dates.${which}`, { opens, closes }) : ""],
    ["about.contact", collection.contact ?? ""],
  ];
  return el(
    "dl",
    { class: "card facts" },
    rows.filter(([, text]) => text).map(([name, text]) => [el("dt", {}, t(name)), el("dd", {}, text)]),
  );
}

/** Device, die, study: what happens to a private answer. */
function picture() {
  const text = (x, key) => svg("text", { x, y: 112, "text-anchor": "middle" }, t(key));
  const arrow = (x) => svg("path", { class: "line", d: `M${x} 54 h34 m-9 -8 l9 8 l-9 8` });
  const pips = [
    [142, 40],
    [158, 54],
    [174, 68],
    [142, 68],
    [174, 40],
  ].map(([cx, cy]) => svg("circle", { class: "pip", cx, cy, r: 4 }));
  const dots = [
    [262, 36],
    [280, 46],
    [296, 34],
    [268, 58],
    [290, 64],
    [256, 72],
    [282, 76],
    [300, 54],
  ];
  return svg(
    "svg",
    { class: "picture", viewBox: "0 0 316 120", role: "img", "aria-label": t("about.picture") },
    svg("rect", { class: "soft", x: 14, y: 14, width: 52, height: 82, rx: 9 }),
    svg("rect", { class: "line", x: 14, y: 14, width: 52, height: 82, rx: 9 }),
    svg("rect", { class: "strong", x: 29, y: 48, width: 22, height: 17, rx: 3 }),
    svg("path", { class: "line", d: "M33.5 48 v-6 a6.500 6.500 0 0 1 13 0 v6" }),
    arrow(78),
    svg("rect", { class: "soft", x: 128, y: 26, width: 60, height: 56, rx: 11 }),
    svg("rect", { class: "line", x: 128, y: 26, width: 60, height: 56, rx: 11 }),
    pips,
    arrow(200),
    dots.map(([cx, cy], i) => svg("circle", { class: i === 1 ? "strong" : "faint", cx, cy, r: 6 })),
    text(40, "about.picture.device"),
    text(158, "about.picture.chance"),
    text(279, "about.picture.study"),
  );
}
