/** What went wrong, in plain words. */

import { actions, button, el, notice, show } from "./dom.js";
import { StorageError } from "./device/ledger.js";
import { InputError, WireError } from "./device/problems.js";
import { Refusal, Unreachable } from "./server.js";
import { has, t } from "./texts.js";

/** Say it in a sentence. */
export function sentence(error) {
  if (error instanceof Unreachable) return t("problem.unreachable");
  if (error instanceof StorageError) return t("problem.storage");
  if (error instanceof Refusal) {
    const known = `problem.${error.problem}`;
    if (error.problem && has(known)) return t(known);
    if (error.status === 410) return t("problem.study-closed");
    return t("problem.refused", { problem: error.problem || error.status });
  }
  return error instanceof InputError ? t("problem.study") : t("problem.unexpected");
}

function details(error) {
  const text =
    error instanceof Refusal
      ? error.detail
      : error instanceof Unreachable || error instanceof StorageError
        ? ""
        : error.message;
  return text ? el("details", {}, el("summary", {}, t("problem.details")), el("p", {}, text)) : null;
}

/** What a step shows of a problem, under its buttons. */
export function inline(error) {
  return [notice(sentence(error), "bad"), details(error)].filter(Boolean);
}

/** A step of its own, with a way to go on where there is one. */
export function showTrouble(step, error, retry) {
  show(
    step,
    t("problem.title"),
    notice(sentence(error), "bad"),
    details(error),
    retry && actions(button(t("button.retry"), retry)),
  );
}

/** The device has refused a question: nothing was sent. */
export function showRefused(error, contact) {
  const problem = error instanceof WireError ? error.problem : "other";
  const why = has(`refused.why.${problem}`) ? `refused.why.${problem}` : "refused.why.other";
  show(
    "sending",
    t("refused.title"),
    el("p", { class: "lead" }, t("refused.lead")),
    notice(t(why), "bad"),
    contact && el("p", {}, t("refused.contact", { contact })),
    details(error),
  );
}
