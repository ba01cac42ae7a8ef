/** While a study collects: that the result comes later, and estimates of the reports so far for who asks. */

import { why } from "./curator_ending.js";
import { effects, overall, sizes } from "./curator_findings.js";
import { interim } from "./curator_server.js";
import { announce, button, card, el, notice } from "./dom.js";
import { number, t } from "./texts.js";

/** Before there is a result. Estimates so far are shown on demand, with a warning, and stay until this is drawn again. */
export function waiting(told, token) {
  if (told.outcome || told.status === "not-open") return null;
  const show = async () => {
    announce(t("curator.interim.waiting"));
    try {
      const { model, reports } = await interim(token);
      const soFar = { ...told, model };
      const found = [told.label.bounds ? overall(soFar) : null, sizes(soFar), effects(soFar)].filter(Boolean);
      board.replaceChildren(result, notice(t("curator.interim.note", { reports: number(reports, 0) })), ...found);
      announce(t("curator.interim.done"));
    } catch (error) {
      board.replaceChildren(result);
      announce(t("curator.interim.failed", { problem: why(error) }));
    }
  };
  const ask = told.reports >= told.minimum ? el("div", { class: "actions" }, button(t("curator.interim"), show, "other")) : null;
  const text = t("curator.result.none.text", { minimum: number(told.minimum, 0) });
  const result = card(t("curator.result.none"), el("p", { class: "hint" }, text), ask);
  const board = el("div", { class: "board so-far" }, result);
  return board;
}
