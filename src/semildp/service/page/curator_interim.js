/** While a study collects: that the result comes later, and estimates of the reports so far for who asks. */

import { why } from "./curator_ending.js";
import { overall, sizes } from "./curator_findings.js";
import { interim } from "./curator_server.js";
import { announce, button, card, el, notice } from "./dom.js";
import { number, t } from "./texts.js";

/** Before there is a result. Estimates so far are shown on demand, with a warning, and stay until the part is drawn again. */
export function waiting(told, token) {
  if (told.outcome || told.status === "not-open") return null;
  const place = el("div", {});
  const show = async () => {
    announce(t("curator.interim.waiting"));
    try {
      const { model, reports } = await interim(token);
      const soFar = { ...told, model };
      place.replaceChildren(notice(t("curator.interim.note", { reports: number(reports, 0) })),
        ...[told.label.bounds ? overall(soFar) : null, sizes(soFar)].filter(Boolean));
      announce(t("curator.interim.done"));
    } catch (error) {
      place.replaceChildren();
      announce(t("curator.interim.failed", { problem: why(error) }));
    }
  };
  const enough = told.reports >= told.minimum;
  return el("div", {}, card(t("curator.result.none"), el("p", { class: "hint" }, t("curator.result.none.text", { minimum: number(told.minimum, 0) })),
    enough ? el("div", { class: "actions" }, button(t("curator.interim"), show, "other")) : null), place);
}
