/** Step 3: what will be sent, to the byte; nothing goes before the button is pressed. */

import { wording } from "./answers.js";
import { actions, announce, button, bytes, card, el, show, svg } from "./dom.js";
import { utf8 } from "./device/digest.js";
import { factor, number, t } from "./texts.js";
import { inline } from "./trouble.js";

/** A button that sends, says so, and shows what went wrong under it. */
function sender(doing, send) {
  const place = el("div", { role: "alert" });
  const node = button(t("button.send"), async () => {
    place.replaceChildren();
    announce(doing);
    try {
      await send();
    } catch (error) {
      announce("");
      place.replaceChildren(...inline(error));
    }
  });
  return { node, place };
}

/** What the enrolment says, feature by feature. */
export function enrolmentWords({ study, collection }, entries) {
  if (entries.every((entry) => entry === null)) return el("p", {}, t("enrolment.all-private"));
  const item = (feature, j) => {
    const { text, unit } = wording(collection, feature.name);
    const question = el("span", {}, text, " ");
    if (entries[j] === null) return el("li", { class: "is-private" }, question, el("em", {}, t("enrolment.private")));
    const value = typeof entries[j] === "number" ? `${number(entries[j], 15)}${unit ? ` ${unit}` : ""}` : entries[j];
    return el("li", { class: "is-public" }, question, el("strong", {}, value));
  };
  return el("ul", { class: "sent" }, study.features.map(item));
}

/**
 * Show the enrolment.
 * @param {string} text its exact text
 * @param {{again: boolean, invited: boolean}} how
 */
export function showEnrolment(about, entries, text, how, send, back) {
  const wayBack = back && button(t("button.back"), back, "other");
  const { node, place } = sender(t("enrolment.sending"), () => {
    wayBack?.remove(); // it may have arrived, whatever is heard of it: other answers would be another person's
    return send();
  });
  show(
    "sending",
    t("enrolment.title"),
    el("p", { class: "lead" }, t(how.again ? "enrolment.lead.again" : "enrolment.lead")),
    el(
      "div",
      { class: "card" },
      enrolmentWords(about, entries),
      el("p", { class: "hint" }, t("enrolment.token"), how.invited ? ` ${t("enrolment.invitation")}` : ""),
      bytes(t("enrolment.bytes", { count: number(utf8(text).length, 0) }), text),
    ),
    actions(wayBack, node),
    place,
  );
}

/**
 * Show the answer.
 * @param {Array<{what: string, chance: string, kept: number|null}>} asks from `explain`
 * @param {{text: string, cost: Fraction, left: number, again: boolean}} drawn
 */
export function showReport({ study }, asks, drawn, send) {
  const { node, place } = sender(t("report.sending"), send);
  const cost = drawn.cost.toNumber();
  const price =
    cost === 0
      ? [t("report.cost.nothing")]
      : [
          t("report.cost.text", {
            cost: number(cost, 4),
            epsilon: number(study.epsilon, 4),
            left: number(drawn.left, 4),
          }),
          t("report.cost.factor", { factor: factor(cost) }),
        ];
  const shown = asks.find((ask) => ask.kept !== null);
  show(
    "sending",
    t("report.title"),
    el("p", { class: "lead" }, t(drawn.again ? "report.lead.again" : "report.lead")),
    card(
      t("report.asked"),
      asks.map((ask) => el("p", {}, ask.what)),
    ),
    card(
      t("report.chance"),
      asks.map((ask) => el("p", {}, ask.chance)),
      shown && dots(shown),
    ),
    card(
      t("report.cost"),
      price.map((text) => el("p", {}, text)),
    ),
    el("div", { class: "card" }, bytes(t("report.bytes", { count: number(utf8(drawn.text).length, 0) }), drawn.text)),
    actions(node),
    place,
  );
}

/** A hundred people with the same true answer, and how many of them send something true. */
function dots({ kept, near }) {
  const count = Math.round(100 * kept);
  const one = (_, i) =>
    svg("circle", {
      class: i < count ? "strong" : "faint",
      cx: 8 + 15 * (i % 20),
      cy: 8 + 15 * Math.floor(i / 20),
      r: 5,
    });
  return el(
    "figure",
    { class: "dots" },
    svg(
      "svg",
      { viewBox: "0 0 301 76", role: "img", "aria-label": t(near ? "report.dots.near" : "report.dots", { count }) },
      Array.from({ length: 100 }, one),
    ),
    el("figcaption", {}, t(near ? "report.dots.caption.near" : "report.dots.caption")),
  );
}
