/** Building the page: elements, one step at a time, and what a screen reader says. */

import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Make an HTML element; text is always text, never markup. */
export function el(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Make an SVG element. */
export function svg(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/** Say something to screen readers, and show it where the step has a status line. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

/**
 * Show a step in place of the one before, and put the focus on its heading.
 * @param {string} step "about", "answers", "sending" or "thanks"
 * @param {string} title
 */
export function show(step, title, ...children) {
  const heading = el("h1", { tabindex: "-1" }, title);
  document.getElementById("stage").replaceChildren(heading, ...children.flat(3).filter(Boolean));
  showProgress(step);
  announce("");
  heading.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}

const STEPS = ["about", "answers", "sending", "thanks"];

function showProgress(step) {
  const here = STEPS.indexOf(step);
  const items = STEPS.map((name, i) =>
    el("li", { class: i < here ? "past" : null, "aria-current": i === here ? "step" : null }, t(`page.step.${name}`)),
  );
  const place = document.getElementById("progress");
  place.setAttribute("aria-label", t("page.steps"));
  place.replaceChildren(el("ol", {}, items));
}

/** A button; while what it does takes time, it cannot be pressed again. */
export function button(text, action, kind = "main") {
  const node = el("button", { type: "button", class: kind }, text);
  node.addEventListener("click", async () => {
    if (node.getAttribute("aria-disabled") === "true") return;
    node.setAttribute("aria-disabled", "true");
    try {
      await action();
    } finally {
      node.removeAttribute("aria-disabled");
    }
  });
  return node;
}

/** A row of buttons. */
export function actions(...buttons) {
  return el("div", { class: "actions" }, buttons);
}

/** A box with a heading. */
export function card(title, ...children) {
  return el("section", { class: "card" }, title && el("h2", {}, title), children);
}

/** Something to know before going on. */
export function notice(text, kind = "calm") {
  return el("p", { class: `notice ${kind}` }, text);
}

/** The exact bytes that will be sent. */
export function bytes(title, text) {
  return el(
    "figure",
    { class: "bytes" },
    el("figcaption", {}, title),
    el("pre", { tabindex: "0", dir: "ltr", "aria-label": title }, text),
  );
}
