/** The curator's page: asks for the token once, then shows the study and looks again now and then. */

import { downloads, ending } from "./curator_ending.js";
import { effects, overall, sizes } from "./curator_findings.js";
import { waiting } from "./curator_interim.js";
import { asked, counts, facts, hidden, sentence, waves } from "./curator_progress.js";
import { status } from "./curator_server.js";
import { announce, button, el, notice } from "./dom.js";
import { Refusal, texts } from "./server.js";
import { direction, language, setTexts, t, time } from "./texts.js";

const KEY = "semildp-curator";
const SOON = 5_000; // milliseconds between two looks while something happens
const LATE = 60_000; // and the most, while nothing does or the server is away

const stage = document.getElementById("stage");

/** By name: what a part depends on, and how it is drawn. It is drawn again only if that has changed. */
const PARTS = {
  counts: [(told) => [told.enrolled, told.reports, told.status], (told) => counts(told)],
  overall: [(told) => told.outcome, (told) => (told.label.bounds ? overall(told) : null)],
  sizes: [(told) => told.outcome, (told) => sizes(told)],
  effects: [(told) => told.outcome, (told) => effects(told)],
  asked: [(told) => [told.status, told.waves.at(-1).wave, told.waves.at(-1).state], (told) => asked(told)],
  waiting: [(told) => [told.outcome, told.status, told.reports >= told.minimum], (told, page) => waiting(told, page.token)],
  waves: [(told) => [told.waves, told.enrolled, Math.floor(told.now / 60)], (told) => waves(told)],
  hidden: [(told) => [told.hidden, told.enrolled], (told) => hidden(told)],
  downloads: [(told) => [told.outcome, told.reports >= told.minimum], (told, page) => downloads(told, page.token)],
  ending: [(told) => [told.status, told.waves.at(-1), told.reports], (told, page) => ending(told, page.token, () => page.hurry())],
  facts: [(told) => told.invitations, (told) => facts(told)],
};

/** Where parts stand: rows of the board, each with one column or two. */
const FINISHED = [[["counts"]], [["overall", "hidden"], ["sizes"]], [["effects"]], [["waves"], ["downloads", "facts"]]];
const COLLECTING = [[["counts"]], [["waves", "hidden"], ["asked", "waiting", "ending"]], [["downloads"], ["facts"]]];

class Page {
  constructor(token) {
    Object.assign(this, { token, wait: SOON, timer: 0, last: "" });
    document.addEventListener("visibilitychange", this.seen);
  }

  seen = () => {
    if (!document.hidden && this.timer) this.look(); // while hidden nothing was asked for
  };

  /** Ask the server how far the study is, show it, and look again later. */
  async look() {
    clearTimeout(this.timer);
    this.timer = 0;
    try {
      const told = await status(this.token);
      this.show(told);
      if (!told.outcome) this.later(this.wait);
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return this.leave(t("curator.token.wrong"));
      if (error instanceof Refusal) console.error(error);
      this.trouble();
      this.wait = Math.min(2 * this.wait, LATE);
      this.later(this.wait);
    }
  }

  /** Something was done: look now, and soon again. */
  hurry() {
    this.last = "";
    return this.look();
  }

  later(wait) {
    this.timer = setTimeout(() => (document.hidden ? this.later(wait) : this.look()), wait);
  }

  trouble() {
    if (!this.frame) return this.begin(t("curator.token.title"), [notice(t("curator.unreachable.first"), "bad")]);
    this.notices.replaceChildren(notice(t("curator.unreachable"), "bad"));
  }

  /** Draw what has changed since the last look; ask again soon if anything has. */
  show(told) {
    if (!this.frame || this.finished !== Boolean(told.model)) this.build(told);
    this.notices.replaceChildren();
    const said = sentence(told);
    if (this.lead.textContent !== said) this.lead.textContent = said;
    this.when.textContent = t("curator.looked", { time: time(new Date(told.now * 1000)) });
    for (const name of Object.keys(this.places)) {
      const [slice, draw] = PARTS[name];
      const now = JSON.stringify(slice(told));
      if (this.drawn[name] === now) continue;
      this.drawn[name] = now;
      this.places[name].replaceChildren(...[draw(told, this)].filter(Boolean));
    }
    const all = JSON.stringify([told.enrolled, told.reports, told.waves.length, told.outcome]);
    this.wait = all === this.last ? Math.min(1.5 * this.wait, LATE) : SOON;
    this.last = all;
  }

  begin(title, children) {
    document.title = t("curator.page", { title });
    stage.replaceChildren(el("p", { class: "kicker" }, t("curator.kicker")), el("h1", { tabindex: "-1" }, title), ...children);
  }

  build(told) {
    this.lead = el("p", { class: "lead say" });
    this.when = el("p", { class: "when" });
    this.notices = el("div", { role: "alert" });
    this.finished = Boolean(told.model);
    this.places = {};
    this.drawn = {};
    const place = (name) => (this.places[name] = el("div", { class: "part" }));
    const rows = (this.finished ? FINISHED : COLLECTING).map((row) => el("div", { class: "row" }, row.map((column) => el("div", { class: "column" }, column.map(place)))));
    this.frame = el("div", { class: "board" }, rows);
    this.begin(told.title, [this.lead, this.notices, this.frame]);
    const forget = button(t("curator.token.forget"), () => this.leave(""), "link");
    document.getElementById("footer").replaceChildren(this.when, el("p", {}, t("curator.footer")), el("p", {}, forget));
  }

  leave(why) {
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
    sessionStorage.removeItem(KEY);
    askToken(why);
  }
}

/** Ask for the token. */
function askToken(wrong) {
  const error = el("p", { class: "error", id: "token-error", role: "alert" }, wrong);
  const input = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-hint token-error" });
  const open = (event) => {
    event.preventDefault();
    const token = input.value.trim();
    error.textContent = token ? "" : t("curator.token.empty");
    if (!token) return input.focus();
    sessionStorage.setItem(KEY, token);
    announce(t("curator.loading"));
    new Page(token).look().then(() => announce(""));
  };
  const title = t("curator.token.title");
  document.title = t("curator.page", { title });
  document.getElementById("footer").replaceChildren();
  stage.replaceChildren(el("p", { class: "kicker" }, t("curator.kicker")), el("h1", {}, title), el("p", { class: "lead" }, t("curator.token.lead")),
    el("form", { class: "card field", onsubmit: open }, el("label", { class: "question", for: "token" }, t("curator.token.label")),
      el("p", { class: "help", id: "token-hint" }, t("curator.token.hint")), input, error,
      el("div", { class: "actions" }, el("button", { class: "main", type: "submit" }, t("curator.token.open")))));
  input.focus();
}

/** The token behind the # of a link, if there is one; it is taken out of the address at once. */
function fromLink() {
  if (!/^#[\w-]{43}$/.test(location.hash)) return null;
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  sessionStorage.setItem(KEY, token);
  return token;
}

/** Get the words, and begin; without a server there are no words, so that the page's own must do. */
async function start() {
  try {
    setTexts(await texts());
  } catch {
    setTimeout(start, SOON);
    return;
  }
  document.documentElement.lang = language();
  document.documentElement.dir = direction();
  const token = fromLink() ?? sessionStorage.getItem(KEY);
  if (token) new Page(token).look();
  else askToken("");
}

start();
