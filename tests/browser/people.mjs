/** What a person does on the page, for the scenarios; every step is looked at by axe-core. */

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const folder = process.env.SEMILDP_NODE_MODULES ?? resolve(import.meta.dirname, "node_modules");
const require = createRequire(resolve(folder, "_.cjs"));
export const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = process.env.SEMILDP_SCREENSHOTS;

export const PRIVATE = { age: "37", stress: "8.0625", label: "6.4375" }; // as typed; nothing of this may be sent

/** One person with a browser of their own: storage is kept between pages, as on a device. */
export class Person {
  static async sit(browser, base, link = "#invited-1", options = {}) {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
      ...options,
    });
    const person = new Person();
    Object.assign(person, { base, link, context, noise: [] });
    await person.open();
    return person;
  }

  /** Open the link in a new window of the same browser. */
  async open(link = this.link) {
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(30_000);
    this.page.on(
      "console",
      (said) =>
        ["error", "warning"].includes(said.type()) &&
        !/status of (4|5)\d\d|ERR_FAILED/.test(said.text()) &&
        this.noise.push(said.text()),
    );
    this.page.on("pageerror", (error) => this.noise.push(String(error)));
    await this.page.goto(`${this.base}/${link}`);
    return this.page;
  }

  async at(title) {
    await this.page.locator("h1", { hasText: title }).waitFor();
    const focused = await this.page.evaluate(() => document.activeElement.tagName);
    check(focused === "H1", `the focus is on ${focused} at “${title}”`);
  }

  press(name) {
    return this.page.getByRole("button", { name, exact: true }).click();
  }

  type(label, text) {
    return this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Choose private or public for a question. */
  privacy(question, choice) {
    return this.page
      .getByRole("group", { name: `Who may see this answer: ${question}` })
      .getByRole("radio", { name: choice })
      .check({ force: true });
  }

  async fill({ coffee = "Public", age = "Private" } = {}) {
    await this.type("How old are you?", PRIVATE.age);
    await this.page.getByRole("radio", { name: "one", exact: true }).check();
    await this.page.getByLabel("Where do you live?").selectOption("south");
    await this.type("How much coffee do you drink on a usual day?", "2,5");
    await this.type("How stressed have you felt this week?", PRIVATE.stress);
    await this.type("How many hours did you sleep last night?", PRIVATE.label);
    await this.privacy("How much coffee do you drink on a usual day?", coffee);
    await this.privacy("How old are you?", age);
    await this.privacy("Where do you live?", "Public");
  }

  /** Private answers only, on coming back. */
  async fillAgain() {
    await this.type("How old are you?", PRIVATE.age);
    await this.page.getByRole("radio", { name: "one", exact: true }).check();
    await this.type("How stressed have you felt this week?", PRIVATE.stress);
    await this.type("How many hours did you sleep last night?", PRIVATE.label);
  }

  async toEnrolment(choices) {
    await this.press("Take part");
    await this.at("Your answers");
    await this.fill(choices);
    await this.press("Show me what would be sent");
    await this.at("What will be sent first");
  }

  /** The exact text that the page shows. */
  shown() {
    return this.page.locator("pre").first().textContent();
  }

  /** Refuse serious problems of accessibility, and a page wider than the window; take a picture if wanted. */
  async look(name) {
    if (SHOTS) await this.page.screenshot({ path: resolve(SHOTS, `${name}.png`), fullPage: true });
    await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate(() =>
      globalThis.axe.run(document, { resultTypes: ["violations"] }),
    );
    const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
    check(
      !serious.length,
      `axe at “${name}”: ${JSON.stringify(serious.map((v) => [v.id, v.nodes.map((n) => n.html)]))}`,
    );
    const [wide, window] = await this.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    check(wide <= window, `“${name}” is ${wide} px wide in a window of ${window}`);
  }

  stored() {
    return this.page.evaluate(
      () => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie,
    );
  }

  async leave() {
    check(!this.noise.length, `the browser complains: ${this.noise.join("; ")}`);
    await this.context.close();
  }
}

/** Raise a sentence unless something holds. */
export function check(holds, sentence) {
  if (!holds) throw new Error(sentence);
}
