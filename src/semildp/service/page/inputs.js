/** One question of the form: a number or a choice, who may see it, and "prefer not to say". */

import { el } from "./dom.js";
import { readNumber } from "./numbers.js";
import { number, t } from "./texts.js";

const RADIOS_UP_TO = 5; // so many values are shown as radio buttons, more as a list

/** A question of the form. `read` gives {value} (null: not said) or {error}; `isPublic` is the person's choice. */
export class Field {
  /**
   * @param {{id: string, domain: object, text: string, help: string, unit: string}} asked
   * @param {string|null} reason why it is private whatever the person says; null if they choose
   * @param {{value: any}|null} sent what was made public before and is fixed now
   */
  constructor(asked, reason, sent = null) {
    Object.assign(this, { asked, reason, sent });
    this.id = asked.id;
    this.note = el("p", { class: "note", id: `${this.id}-note`, "aria-live": "polite" });
    this.error = el("p", { class: "error", id: `${this.id}-error` });
    this.input = asked.domain.kind === "number" ? this.#numberInput() : this.#choice();
    this.skip = sent ? null : this.#skip();
    this.privacy = this.#privacy();
    this.element = this.#assemble();
    this.#choicesChanged();
  }

  get isPublic() {
    return this.sent !== null || (this.publicRadio?.checked ?? false);
  }

  get skipped() {
    return this.skip !== null && !this.isPublic && this.skip.checked;
  }

  read() {
    if (this.sent) return { value: this.sent.value };
    if (this.skipped) return { value: null };
    const text = this.text();
    if (!text) return { error: t(this.isPublic ? "answers.error.public" : "answers.error.missing") };
    if (this.asked.domain.kind !== "number") return { value: text };
    return readNumber(text, number((this.asked.domain.low + this.asked.domain.high) / 2, 1));
  }

  /** Show what is wrong, or nothing; return whether all is well. */
  check() {
    const { error = "" } = this.read();
    this.error.textContent = error;
    for (const control of this.controls()) control.setAttribute("aria-invalid", error ? "true" : "false");
    this.element.classList.toggle("wrong", Boolean(error));
    return !error;
  }

  focus() {
    this.controls()[0].focus();
  }

  controls() {
    return this.input.matches("input, select") ? [this.input] : [...this.input.querySelectorAll("input")];
  }

  text() {
    if (this.input.matches("input, select")) return this.input.value.trim();
    return this.input.querySelector("input:checked")?.value ?? "";
  }

  #describedBy() {
    return `${this.id}-help ${this.id}-note ${this.id}-error`;
  }

  #numberInput() {
    const value = this.sent ? String(this.sent.value) : "";
    const input = el("input", {
      id: this.id,
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      value,
      readonly: this.sent !== null,
      "aria-describedby": this.#describedBy(),
      oninput: () => this.#changed(),
      onchange: () => this.check(),
    });
    return input;
  }

  #choice() {
    const { values } = this.asked.domain;
    const fixed = this.sent !== null;
    if (values.length > RADIOS_UP_TO) {
      const options = values.map((value) =>
        el("option", { value, selected: fixed && value === this.sent.value }, value),
      );
      const first = el("option", { value: "" }, t("answers.choose"));
      return el(
        "select",
        {
          id: this.id,
          autocomplete: "off",
          disabled: fixed,
          "aria-describedby": this.#describedBy(),
          onchange: () => this.check(),
        },
        first,
        options,
      );
    }
    const radio = (value, i) =>
      el(
        "label",
        { class: "option" },
        el("input", {
          type: "radio",
          name: this.id,
          id: `${this.id}-${i}`,
          value,
          autocomplete: "off",
          disabled: fixed,
          checked: fixed && value === this.sent.value,
          onchange: () => this.check(),
        }),
        el("span", {}, value),
      );
    return el(
      "div",
      {
        class: "options",
        role: "radiogroup",
        "aria-labelledby": `${this.id}-text`,
        "aria-describedby": this.#describedBy(),
      },
      values.map(radio),
    );
  }

  #skip() {
    return el("input", {
      type: "checkbox",
      id: `${this.id}-skip`,
      autocomplete: "off",
      "aria-describedby": `${this.id}-skip-hint`,
      onchange: () => this.#choicesChanged(),
    });
  }

  /** Two radio buttons, or the reason why there is nothing to choose. */
  #privacy() {
    const name = `${this.id}-privacy`;
    const fixed = this.reason !== null || this.sent !== null;
    const one = (value, checked) => {
      const radio = el("input", {
        type: "radio",
        name,
        value,
        checked,
        disabled: fixed,
        autocomplete: "off",
        onchange: () => this.#choicesChanged(),
      });
      if (value === "public") this.publicRadio = radio;
      return el("label", {}, radio, el("span", {}, t(`answers.${value}`)));
    };
    this.hint = el("p", { class: "hint", id: `${name}-hint` });
    return el(
      "fieldset",
      { class: "privacy", "aria-describedby": `${name}-hint` },
      el("legend", { class: "unseen" }, t("answers.privacy", { question: this.asked.text })),
      el("div", { class: "switch" }, one("private", this.sent === null), one("public", this.sent !== null)),
      this.hint,
    );
  }

  #assemble() {
    const { domain, text, help, unit } = this.asked;
    const bounds = { low: number(domain.low ?? 0), high: number(domain.high ?? 0), unit };
    const range = domain.kind === "number" ? t(unit ? "answers.range.unit" : "answers.range", bounds) : "";
    const titleTag = this.input.matches("input, select") ? "label" : "p";
    this.skipHint = el("span", { class: "hint", id: `${this.id}-skip-hint` }, t("answers.skip.hint"));
    return el(
      "div",
      { class: "card field" },
      el(titleTag, { class: "question", id: `${this.id}-text`, for: titleTag === "label" ? this.id : null }, text),
      el("p", { class: "help", id: `${this.id}-help` }, [help, range].filter(Boolean).join(" ")),
      this.input,
      this.note,
      this.error,
      this.skip &&
        (this.skipRow = el(
          "div",
          { class: "skip" },
          el("label", {}, this.skip, el("span", {}, t("answers.skip"))),
          this.skipHint,
        )),
      this.privacy,
    );
  }

  #choicesChanged() {
    const key = this.sent ? "sent" : this.isPublic ? "public.hint" : "private.hint";
    this.hint.textContent = this.reason ?? t(`answers.${key}`);
    this.skipRow?.toggleAttribute("hidden", this.isPublic);
    this.skipHint.toggleAttribute("hidden", !this.skipped);
    if (!this.sent) for (const control of this.controls()) control.disabled = this.skipped;
    if (this.error.textContent) this.check();
  }

  #changed() {
    if (this.error.textContent) this.check();
    const { low, high } = this.asked.domain;
    const { value } = readNumber(this.text() || "x", "");
    if (value > high) this.note.textContent = t("answers.note.above", { bound: number(high) });
    else if (value < low) this.note.textContent = t("answers.note.below", { bound: number(low) });
    else this.note.textContent = "";
  }
}
