/** Step 2: the questions. The answers live in this page's memory only. */

import { actions, button, el, notice, show } from "./dom.js";
import { Field } from "./inputs.js";
import { t } from "./texts.js";

/** What a feature, or the label, is called on this page. */
export function wording(collection, name, fallback = name) {
  const words = collection.questions?.[name];
  return { text: words?.text || fallback, help: words?.help || "", unit: words?.unit || "" };
}

/** How the label is called. */
export function labelWording(collection) {
  return wording(collection, "label", t("answers.label"));
}

/**
 * Build the form; what is returned shows it, the first time and again. The answers are handed to `next`.
 * @param {{study: object, collection: object}} about
 * @param {Array|null} sent what was made public before (null: private), when the person has come back
 * @param {(answers: {values: Array, label: number|null, hidden: string[]}) => void} next
 * @param {(() => void)|null} back
 */
export function askAnswers({ study, collection }, sent, next, back) {
  const fields = study.features.map((feature, j) => {
    const asked = { id: `feature-${j}`, domain: feature.domain, ...wording(collection, feature.name) };
    if (sent)
      return new Field(
        asked,
        sent[j] === null ? t("answers.private.hint") : null,
        sent[j] === null ? null : { value: sent[j] },
      );
    return new Field(asked, study.hide_mask ? t("answers.hidden") : feature.private ? t("answers.forced") : null);
  });
  const label =
    study.label &&
    new Field({ id: "label", domain: study.label, ...labelWording(collection) }, t("answers.label.private"));
  const all = study.label ? [...fields, label] : fields;
  const summary = el("div", { role: "alert" });
  const submit = () => {
    const wrong = all.filter((field) => !field.check());
    summary.replaceChildren();
    if (wrong.length) {
      summary.replaceChildren(notice(t("answers.error.summary", { count: wrong.length }), "bad"));
      wrong[0].focus();
      return;
    }
    const hidden = study.features.filter((_, j) => !fields[j].isPublic).map((feature) => feature.name);
    next({ values: fields.map((field) => field.read().value), label: label ? label.read().value : null, hidden });
  };
  const form = el(
    "form",
    {
      novalidate: true,
      autocomplete: "off",
      onsubmit: (event) => {
        event.preventDefault();
        submit();
      },
    },
    all.map((field) => field.element),
    summary,
    actions(
      back && button(t("button.back"), back, "other"),
      el("button", { type: "submit", class: "main" }, t(sent ? "button.continue" : "button.preview")),
    ),
  );
  const lead = el("p", { class: "lead" }, t(sent ? "answers.again.lead" : "answers.lead"));
  return () => show("answers", t(sent ? "answers.again.title" : "answers.title"), lead, form);
}
