/** Taking things home, and ending waves or the study by hand. */

import * as server from "./curator_server.js";
import { announce, button, card, el } from "./dom.js";
import { Refusal } from "./server.js";
import { number, t } from "./texts.js";
import { sentence } from "./trouble.js";

const DOCUMENTS = [
  ["statement", "statement.html", "privacy-statement.html"],
  ["plain", "statement", "privacy-statement.txt"],
  ["model", "model", "model.json"],
  ["totals", "totals", "totals.json"],
];

/** What went wrong, in a sentence; a refusal has one from the server. */
export function why(error) {
  return error instanceof Refusal && error.detail ? error.detail : sentence(error);
}

/** Documents to download; those that are not there yet say so. */
export function downloads(told, token) {
  const minimum = number(told.minimum, 0);
  const there = { statement: true, plain: true, model: told.outcome === "model", totals: told.outcome === "model" || told.reports >= told.minimum };
  const rows = DOCUMENTS.map(([name, path, file]) => {
    const get = async () => {
      try {
        await server.download(token, path, file);
        announce(t("curator.download.done", { file }));
      } catch (error) {
        announce(t("curator.download.failed", { problem: why(error) }));
      }
    };
    const text = t(there[name] ? `curator.download.${name}.text` : `curator.download.${name}.none`, { minimum });
    const title = t(`curator.download.${name}`);
    return el("li", {}, there[name] ? button(title, get, "other") : el("span", { class: "absent" }, title), el("span", { class: "hint" }, text));
  });
  return card(t("curator.downloads"), el("ul", { class: "downloads" }, rows));
}

/** Ask before something that cannot be undone; resolves to whether it is wanted. */
function confirm(title, texts, yes) {
  return new Promise((resolve) => {
    const answer = (wanted) => () => {
      dialog.close();
      dialog.remove();
      resolve(wanted);
    };
    const dialog = el("dialog", { "aria-labelledby": "sure" }, el("h2", { id: "sure" }, title), texts.map((text) => el("p", {}, text)),
      el("div", { class: "actions" }, el("button", { type: "button", class: "other", onclick: answer(false), autofocus: true }, t("curator.no")),
        el("button", { type: "button", class: "grave", onclick: answer(true) }, yes)));
    dialog.addEventListener("cancel", answer(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Buttons that end a wave or the study; `look` is called afterwards. null when there is nothing to end. */
export function ending(told, token, look) {
  if (told.status === "closed" || told.status === "not-open") return null;
  const wave = told.waves.at(-1);
  const act = async (what, title, texts) => {
    if (!(await confirm(title, texts, t(`curator.${what}.yes`)))) return;
    try {
      await server[what](token);
      await look();
      announce(t(`curator.done.${what}`));
    } catch (error) {
      announce(why(error));
    }
  };
  const advance = () => wave.wave === 0
    ? act("advance", t("curator.advance.enrolment"), [t("curator.advance.text.enrolment", { enrolled: number(told.enrolled, 0) })])
    : act("advance", t("curator.advance.title", { wave: wave.wave }), [t("curator.advance.text", { received: number(wave.received, 0) })]);
  const few = told.reports < told.minimum ? [t("curator.close.few", { reports: number(told.reports, 0), minimum: number(told.minimum, 0) })] : [];
  const close = () => act("close", t("curator.close.title"), [t("curator.close.text"), ...few]);
  const begun = wave.state === "open" && (wave.wave === 0 ? told.enrolled : wave.received) > 0;
  return card(t("curator.ending"), el("p", { class: "hint" }, t("curator.ending.lead")),
    el("div", { class: "actions" }, begun ? button(t("curator.advance"), advance, "other") : null, button(t("curator.close"), close, "grave")));
}
