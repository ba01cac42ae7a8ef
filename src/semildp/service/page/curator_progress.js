/** How far the study is: one sentence, waves, who hides what, what is asked now, and facts. */

import { bar } from "./curator_plots.js";
import { card, el } from "./dom.js";
import { date, factor, number, t } from "./texts.js";

const whole = (x) => number(x, 0);

/** Say in one sentence how far the study is. */
export function sentence(told) {
  const { outcome, status } = told;
  const wave = told.waves.at(-1);
  const values = { enrolled: whole(told.enrolled), expected: whole(told.expected), minimum: whole(told.minimum), wave: whole(wave.wave) };
  if (outcome === "model") return t("curator.say.model", { reports: whole(told.reports) });
  if (outcome) return t(`curator.say.${outcome}`, { ...values, sentence: told.sentence ?? "" });
  if (status === "closed") return t("curator.say.closing");
  if (status === "not-open") return told.opens ? t("curator.say.not-open.opens", { opens: date(told.opens) }) : t("curator.say.not-open");
  if (!told.enrolled) return t("curator.say.nobody");
  if (status === "enrolling") return t("curator.say.enrolling", values);
  if (wave.state !== "open") return t("curator.say.between", values);
  return t(told.visits === "enrol-first" ? "curator.say.asking.enrolled" : "curator.say.asking", values);
}

/** The numbers that one wants first. */
export function counts(told) {
  const reached = told.reports >= told.minimum;
  const rows = [
    ["curator.people", t("curator.people.count", { enrolled: whole(told.enrolled), expected: whole(told.expected) })],
    ["curator.reports", whole(told.reports)],
    ["curator.minimum", t(reached ? "curator.minimum.reached" : "curator.minimum.missing", { minimum: whole(told.minimum) })],
    ["curator.closes", told.status === "closed" ? "" : date(told.closes)],
  ];
  return el("dl", { class: "counts" }, rows.filter(([, text]) => text).map(([name, text]) => el("div", {}, el("dt", {}, t(name)), el("dd", {}, text))));
}

/** How long a wave has left, by the server's clock. */
function left(wave, now) {
  if (wave.state !== "open") return t(`curator.wave.${wave.state}`);
  if (!wave.ends) return "";
  const minutes = Math.ceil((wave.ends - now) / 60);
  if (minutes <= 0) return t(wave.received || wave.wave === 0 ? "curator.wave.left.over" : "curator.wave.left.first");
  if (minutes < 120) return t("curator.wave.left.minutes", { count: whole(minutes) });
  if (minutes < 48 * 60) return t("curator.wave.left.hours", { count: whole(Math.floor(minutes / 60)) });
  return t("curator.wave.left.days", { count: whole(Math.floor(minutes / 1440)) });
}

/** A bar for each wave: what came of what is wanted. The enrolment is wave 0; where people are asked when they come it is none. */
export function waves(told) {
  const shown = told.waves.filter((wave) => wave.wave > 0 || told.visits === "enrol-first");
  if (!shown.length) return card(t("curator.waves"), el("p", { class: "hint" }, t("curator.waves.none")));
  const rows = shown.map((wave) => {
    const wanted = wave.wave === 0 ? told.expected : (wave.wanted ?? wave.asked);
    const received = wave.wave === 0 ? told.enrolled : wave.received;
    return el("li", { class: wave.state === "done" ? "past" : null },
      el("span", { class: "what" }, wave.wave === 0 ? t("curator.wave.enrolment") : t("curator.wave", { wave: whole(wave.wave) })),
      el("span", { class: "much" }, t("curator.wave.count", { received: whole(received), wanted: whole(wanted) }), el("em", {}, left(wave, told.now))),
      bar(wanted ? received / wanted : 0));
  });
  const lead = told.status === "closed" ? null : el("p", { class: "hint" }, t("curator.waves.lead"));
  return card(t("curator.waves"), lead, el("ol", { class: "bars" }, rows));
}

/** A bar for each feature: how many keep it private. */
export function hidden(told) {
  if (told.hide_mask) return card(t("curator.hidden"), el("p", { class: "hint" }, t("curator.hidden.all")));
  const rows = told.hidden.map(({ feature, people, forced }) => {
    const share = told.enrolled ? people / told.enrolled : 0;
    const count = forced ? t("curator.hidden.forced") : t("curator.hidden.count", { people: whole(people), percent: whole(100 * share) });
    return el("li", {}, el("span", { class: "what" }, feature), el("span", { class: "much" }, count), bar(forced ? 1 : share));
  });
  const lead = told.enrolled ? t("curator.hidden.lead", { enrolled: whole(told.enrolled) }) : t("curator.hidden.none");
  return card(t("curator.hidden"), el("p", { class: "hint" }, lead), told.enrolled ? el("ul", { class: "bars" }, rows) : null);
}

/** What is asked now, in plain words; null when the study is over. */
export function asked(told) {
  if (told.status === "closed") return null;
  const wave = told.waves.at(-1);
  const now = wave.state === "open" ? wave : null;
  if (!now?.plainly.length) return card(t("curator.asked"), el("p", { class: "hint" }, t("curator.asked.nothing")));
  return card(t("curator.asked"), el("p", { class: "hint" }, t(now.plainly.length > 1 ? "curator.asked.lead" : "curator.asked.lead.one")),
    el("ul", { class: "asked" }, now.plainly.map((words) => el("li", {}, words))),
    el("p", { class: "hint" }, t("curator.asked.label", { label: told.label.text })),
    el("details", {}, el("summary", {}, t("curator.asked.exactly")), el("ul", { class: "asked" }, now.questions.map((words) => el("li", {}, words)))));
}

/** What does not change. */
export function facts(told) {
  const rows = [
    ["curator.facts.epsilon", t("curator.facts.epsilon.text", { epsilon: number(told.epsilon), factor: factor(told.epsilon) })],
    ["curator.facts.protocol", `${told.protocol}, ${told.participation}`],
    ["curator.facts.visits", t(`curator.facts.visits.${told.visits}`)],
    ["curator.facts.access", t(`curator.facts.access.${told.access}`, { invitations: whole(told.invitations) })],
    ["curator.facts.digest", told.study],
  ];
  return card(t("curator.facts"), el("dl", { class: "facts" }, rows.map(([name, text]) => [el("dt", {}, t(name)), el("dd", {}, text)])));
}
