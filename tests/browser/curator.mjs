/** Stories of the curator's page in a real browser: `node curator.mjs '{"finished": URL, "collecting": URL, "token": T}'`. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Person, check, chromium } from "./people.mjs";

const { finished, collecting, token } = JSON.parse(process.argv[2]);
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } };
const home = mkdtempSync(join(tmpdir(), "semildp-browser-"));
const quiet = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: process.env.SEMILDP_CHROMIUM, args: quiet, env: { ...process.env, HOME: home } });

/** Open the page and give the token. */
async function enter(base, options = {}, given = token) {
  const ada = await Person.sit(browser, base, "curator", options);
  await ada.type("Curator’s token", given);
  await ada.press("Open");
  return ada;
}

const text = (ada) => ada.page.locator("main").innerText();

async function everySize() {
  for (const [name, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      const ada = await enter(finished, { viewport, colorScheme });
      await ada.page.getByText("The study is finished.").waitFor();
      await ada.look(`curator-finished-${name}-${colorScheme}`);
      await ada.leave();
      const bob = await enter(collecting, { viewport, colorScheme });
      await bob.page.getByText("is under way").waitFor();
      await bob.look(`curator-collecting-${name}-${colorScheme}`);
      await bob.leave();
    }
  }
}

/** Every finding of the server's has a picture, and every number in the tables is the server's. */
async function findings() {
  const ada = await enter(finished);
  await ada.page.getByText("What each feature adds").waitFor();
  const told = await (await fetch(`${finished}/api/curator/status`, { headers: { Authorization: `Bearer ${token}` } })).json();
  const { found, mean } = told.model;
  check((await ada.page.locator(".panel svg.plot").count()) === found.length, "a picture for each effect");
  check((await ada.page.locator(".panel").count()) === found.length && found.length > 1, "some effects were found");
  check((await ada.page.locator(".panel:has(.band), .panel:has(line.bar)").count()) === found.filter((f) => f.error && f.shape !== "map").length, "bands where there are errors, and nowhere else");
  const sizes = await ada.page.locator("ol.bars .what").allInnerTexts();
  check(found.every((f, i) => sizes[i].startsWith(f.features[0])), `ordered by size: ${sizes}`);
  check((await text(ada)).includes(String(Number(mean.toFixed(2)))), "the overall estimate is shown"); // 6.90 is 6.9
  const shown = found.findIndex((f) => f.shape === "values");
  const panel = ada.page.locator(".panel").nth(shown);
  await panel.getByText("The numbers").click();
  const cells = await panel.locator("tbody tr").allInnerTexts();
  found[shown].axes[0].forEach((value, i) => {
    const [name, number] = cells[i].split("\t");
    check(name === value && Math.abs(Number(number.replace("−", "-")) - found[shown].added[i]) < 0.01, `the table says ${cells[i]}`);
  });
  await ada.look("curator-numbers");
  await ada.leave();
}

async function downloads() {
  const ada = await enter(finished);
  for (const [name, file, holds] of [["Model", "model.json", '"message":"model"'], ["Totals of reports", "totals.json", '"waves":['], ["Privacy statement", "privacy-statement.html", "<h2>What is guaranteed</h2>"], ["As plain text", "privacy-statement.txt", "What is guaranteed"]]) {
    const [got] = await Promise.all([ada.page.waitForEvent("download"), ada.press(name)]);
    check(got.suggestedFilename() === file, `${name} is called ${got.suggestedFilename()}`);
    check(readFileSync(await got.path(), "utf8").includes(holds), `${file} must have ${holds}`);
  }
  await ada.leave();
}

async function wrongToken() {
  const ada = await enter(finished, {}, "d".repeat(43));
  await ada.page.getByText("This is not the curator’s token").waitFor();
  check((await ada.page.evaluate(() => document.activeElement.id)) === "token", "the focus is where to type");
  check((await ada.stored()) === "{}{}", `nothing is kept of a wrong token: ${await ada.stored()}`);
  await ada.look("curator-wrong-token");
  await ada.type("Curator’s token", token);
  await ada.page.keyboard.press("Enter");
  await ada.page.getByText("The study is finished.").waitFor();
  await ada.page.reload();
  await ada.page.getByText("The study is finished.").waitFor();
  check((await ada.page.evaluate(() => localStorage.length + document.cookie.length)) === 0, "the token is in this tab only");
  await ada.press("Forget the token");
  await ada.page.getByLabel("Curator’s token").waitFor();
  check((await ada.stored()) === "{}{}", "the token is forgotten");
  await ada.leave();
}

/** A link with the token behind its # opens the page at once, and the address no longer has it. */
async function byLink() {
  const ada = await Person.sit(browser, finished, `curator#${token}`);
  await ada.page.getByText("The study is finished.").waitFor();
  check(ada.page.url() === `${finished}/curator`, `the address is ${ada.page.url()}`);
  await ada.leave();
}

async function unreachable() {
  const ada = await enter(collecting);
  await ada.page.getByText("is under way").waitFor();
  await ada.page.route("**/api/curator/status", (route) => route.abort());
  await ada.page.getByText("What you see may be out of date").waitFor({ timeout: 60_000 });
  await ada.look("curator-unreachable");
  await ada.page.unroute("**/api/curator/status");
  await ada.page.getByText("What you see may be out of date").waitFor({ state: "detached", timeout: 60_000 });
  await ada.context.close(); // the browser has complained about lost requests
}

/** States that take long to reach, by what the server would say. */
async function otherStates() {
  const told = await (await fetch(`${collecting}/api/curator/status`, { headers: { Authorization: `Bearer ${token}` } })).json();
  const none = told.hidden.map((each) => ({ ...each, people: 0 }));
  const wave = { ...told.waves.at(-1), wave: 0, received: 0, questions: [], plainly: [] };
  const map = { features: ["stress", "coffee"], private: true, shape: "map", axes: [[0, 5, 10], [0, 4, 6, 8]], added: [-0.4, 0, 0.1, 0.2, 0.25, 0.4], error: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1], mean_error: 0.1, size: 0.3 };
  const found = [{ ...map, features: ["work"], private: false, shape: "values", axes: [["day", "night", "both"]], added: [0.2, -0.6, 0], error: null, mean_error: null }, map];
  const over = { status: "closed", enrolled: 700, reports: 700 };
  const states = {
    nobody: [{ enrolled: 0, reports: 0, hidden: none, waves: [wave] }, "Nobody has come yet."],
    "not open": [{ status: "not-open", opens: "2100-01-01T00:00:00Z", enrolled: 0, hidden: none }, "It opens on 1 January 2100"],
    enrolling: [{ visits: "enrol-first", status: "enrolling", waves: [wave] }, "have enrolled"],
    closing: [{ ...over, outcome: null }, "the result is being computed"],
    "too few": [{ ...over, outcome: "too-few" }, "fewer than 100 people have reported"],
    failed: [{ ...over, outcome: "failed", sentence: "Labels were all alike." }, "Labels were all alike."],
    "hidden masks": [{ hide_mask: true }, "nobody’s choice is sent"],
    "two together": [{ ...over, outcome: "model", model: { spent: [], mean: 7, error: 0.2, found, together: [{ private: true, size: 0.3 }], idle: [] } }, "± 0.4"],
    "nothing found": [{ ...over, outcome: "model", model: { spent: [], mean: 7, error: null, found: [], together: [], idle: ["age"] } }, "No effect of any feature was found"],
  };
  for (const [name, [changes, words]] of Object.entries(states)) {
    const ada = await Person.sit(browser, collecting, "curator");
    await ada.page.route("**/api/curator/status", (route) => route.fulfill({ json: { ...told, ...changes } }));
    await ada.type("Curator’s token", token);
    await ada.press("Open");
    await ada.page.getByText(words).first().waitFor();
    check(!/curator\.|undefined|NaN|\{[a-z]+\}/.test(await text(ada)), `${name}: ${await text(ada)}`);
    await ada.look(`curator-${name.replace(" ", "-")}`);
    await ada.leave();
  }
}

/** Estimates so far are the server's, shown on demand, with a warning. */
async function soFar() {
  const ada = await enter(collecting);
  await ada.press("Estimates so far");
  await ada.page.getByText("They are not final").waitFor({ timeout: 60_000 });
  const told = await (await fetch(`${collecting}/api/curator/interim`, { headers: { Authorization: `Bearer ${token}` } })).json();
  check(told.final === false, "the server says so too");
  const shown = new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format(told.model.mean);
  check((await text(ada)).includes(shown), `the overall estimate ${shown} is shown`);
  await ada.look("curator-so-far");
  await ada.leave();
}

/** By keyboard: what cannot be undone is asked for twice, and “no” is the first answer. Comes last: it closes the study. */
async function ending() {
  const ada = await enter(collecting);
  const close = ada.page.getByRole("button", { name: "Close the study" });
  await close.focus();
  await ada.page.keyboard.press("Enter");
  await ada.page.getByRole("dialog", { name: "Close the study for good?" }).waitFor();
  await ada.look("curator-confirm");
  check((await ada.page.evaluate(() => document.activeElement.textContent)) === "Go on collecting", "“no” has the focus");
  await ada.page.keyboard.press("Escape");
  await ada.page.getByRole("dialog").waitFor({ state: "detached" });
  check((await ada.page.evaluate(() => document.activeElement.textContent)) === "Close the study", "the focus is back");
  const [, wave] = /wave (\d+) is under way/.exec(await text(ada));
  await ada.press("End this wave now");
  await ada.press("End the wave");
  await ada.page.getByText(`wave ${Number(wave) + 1} is under way`).waitFor({ timeout: 60_000 });
  await close.click();
  await ada.press("Close for good");
  await ada.page.getByText("The study is finished.").waitFor({ timeout: 60_000 });
  await ada.leave();
}

const STORIES = { "every size and colour": everySize, findings, downloads, "wrong token": wrongToken, "by link": byLink, unreachable, "other states": otherStates, "so far": soFar, ending };

try {
  for (const [name, story] of Object.entries(STORIES)) {
    let wrong = null;
    try {
      await story();
    } catch (error) {
      wrong = String(error.stack);
    }
    for (const context of browser.contexts()) await context.close();
    console.log(JSON.stringify({ name, wrong }));
  }
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
