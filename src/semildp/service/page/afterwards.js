/** Waiting for a question, and thanks: what a person sees when there is nothing to do. */

import { actions, button, bytes, card, el, notice, show } from "./dom.js";
import { utf8 } from "./device/digest.js";
import { enrolmentWords } from "./sending.js";
import { number, t, time } from "./texts.js";
import { inline } from "./trouble.js";

const SOONEST = 10; // seconds between two looks of the page itself, however short the server says
const LATEST = 900;

/**
 * Wait politely: a button to look now, and a look now and then while the page is visible.
 * @param {{entries: Array, text: string}} enrolled
 * @param {number} wait seconds that the server asks for
 * @param {() => Promise<{question: Uint8Array|null, state: string, wait: number}>} look
 * @param {(answer: object) => void} found called when there is something else than waiting
 */
export function showWaiting(about, enrolled, wait, look, found) {
  const place = el("div", { role: "alert" });
  const line = el("p", { class: "hint", "aria-live": "polite" }, t("waiting.automatic"));
  let timer;
  const plan = (seconds) => {
    clearTimeout(timer);
    const spread = 1 + Math.random() / 4; // so that people do not all come at once
    timer = setTimeout(ask, 1000 * spread * Math.min(Math.max(seconds, SOONEST), LATEST));
  };
  const ask = async (byHand = false) => {
    if (!place.isConnected) return;
    if (!byHand && document.hidden) return plan(SOONEST);
    try {
      const answer = await look();
      if (!place.isConnected) return;
      place.replaceChildren();
      if (answer.question || answer.state !== "waiting") return found(answer);
      line.textContent = `${t("waiting.none", { time: time(new Date()) })} ${t("waiting.automatic")}`;
      plan(answer.wait);
    } catch (error) {
      if (byHand) place.replaceChildren(...inline(error));
      plan(LATEST / 5);
    }
  };
  show(
    "sending",
    t("waiting.title"),
    el("p", { class: "lead" }, t("waiting.lead")),
    notice(t("waiting.bookmark")),
    actions(button(t("button.check"), () => ask(true))),
    line,
    place,
    again(about, enrolled, []),
  );
  plan(wait);
}

/** What was sent, to be seen again. */
function again(about, enrolled, reports) {
  return el(
    "details",
    { class: "card" },
    el("summary", {}, t("thanks.again")),
    el("h2", {}, t("thanks.enrolment")),
    enrolmentWords(about, enrolled.entries),
    bytes(t("enrolment.bytes", { count: number(utf8(enrolled.text).length, 0) }), enrolled.text),
    reports.map(({ wave, report }) => [
      el("h2", {}, t("thanks.report", { wave })),
      bytes(t("report.bytes", { count: number(utf8(report).length, 0) }), report),
    ]),
  );
}

/**
 * Say thanks.
 * @param {{reports: Array, spent: Fraction, text: string}} done `text` is the sentence that fits
 * @param {(() => void)|null} another for somebody else on this device
 */
export function showThanks(about, enrolled, done, another) {
  const cost = { spent: number(done.spent.toNumber(), 4), epsilon: number(about.study.epsilon, 4) };
  show(
    "thanks",
    t("thanks.title"),
    el("p", { class: "lead" }, done.text),
    about.study.participation === "both" && el("p", {}, t("thanks.more")),
    el("p", { class: "hint" }, t("thanks.cost", cost)),
    again(about, enrolled, done.reports),
    another && actions(button(t("button.another"), another, "other")),
  );
}

/** Ask whether this is another person than the one who was here before. */
export function showAnother(yes, no) {
  show(
    "about",
    t("another.title"),
    card(null, el("p", {}, t("another.lead"))),
    actions(button(t("button.not-another"), no, "other"), button(t("button.confirm-another"), yes)),
  );
}
